// What a figure computes, in Node: an element that draws nothing, and models that answer at once or later.
import assert from "node:assert/strict";
import test from "node:test";
import "./page.mjs";

const { defineFigure } = await import("../../src/manyheads/web/doors/define-figure.ts");
const { together } = await import("../../src/manyheads/web/doors/task.ts");

const soon = () => new Promise((done) => setTimeout(done));

/** A promise, and what settles it. */
function later() {
  const it = {};
  it.promise = new Promise((resolve, reject) => Object.assign(it, { resolve, reject }));
  return it;
}

let loads = []; // what each loading of the last figure waits for, in their order

defineFigure("computing-figure", {
  start: () => ({}),
  reduce: (_, answer) => ({ answer }),
  effect:
    ({ root }) =>
    (answer) =>
      void root.shown.push(answer),
  view(host) {
    host.setStatus = (text, act) => {
      host.root.statuses.push(text);
      host.root.act = act;
    };
    return { nodes: [], draw() {} };
  },
  work: {
    leans: true, // nothing is said before it's asked
    models: ({ root }) => root.names,
    load: (name, show) => {
      const loading = { name, show, ...later() };
      loads.push(loading);
      return loading.promise;
    },
    failure: "It could not be computed",
    compute: (models, { root }, signal) => together(models.map((model) => model.attend(root.typed, signal))),
    answer: (answers) => answers.join(),
  },
});

/** A figure that isn't in the page yet. */
function make(parts = {}) {
  loads = [];
  const made = document.createElement("computing-figure");
  const type = (text) => {
    made.typed = text;
    made.task.run();
  };
  const insert = () => document.body.append(made);
  return Object.assign(made, { names: ["one"], typed: "a", shown: [], statuses: [], loads, type, insert, ...parts });
}

const figure = (parts = {}) => {
  const made = make(parts);
  made.insert();
  return made;
};
const echo = { attend: (text) => text.toUpperCase() };

async function computing(model = echo, parts = {}) {
  const made = figure(parts);
  const { ready } = made;
  made.loads[0].resolve(model);
  await ready;
  return made;
}

test("asking for ready starts the loading, once", async () => {
  const made = figure();
  assert.deepEqual([made.loads.length, made.task.status], [0, "idle"]);
  const { ready } = made;
  made.ready;
  assert.deepEqual([made.loads.length, made.statuses, made.task.status], [1, ["Loading the model."], "loading"]);
  made.loads[0].resolve(echo);
  await ready;
  assert.deepEqual([made.shown, made.task.status], [["A"], "ready"]);
});

test("ready that was asked for before the figure is in a page", async () => {
  const made = make();
  const { ready } = made;
  assert.equal(made.loads.length, 0);
  made.insert();
  made.loads[0].resolve(echo);
  await ready;
});

test("a figure without models is ready", () => figure({ names: [] }).ready);

test("a model that answers at once is shown before the keystroke's event returns", async () => {
  const made = await computing();
  made.type("b");
  assert.deepEqual(made.shown, ["A", "B"]);
});

test("what was typed while the model came is what is computed", async () => {
  const made = figure();
  const { ready } = made;
  for (const text of ["b", "c"]) made.type(text);
  assert.equal(made.loads.length, 1);
  made.loads[0].resolve(echo);
  await ready;
  assert.deepEqual(made.shown, ["C"]);
});

test("of answers that come later, the last keystroke's wins, and the others are aborted", async () => {
  const requests = [];
  const slow = {
    attend: (text, signal) => {
      requests.push({ text, signal, ...later() });
      return requests.at(-1).promise;
    },
  };
  const made = figure();
  made.ready;
  made.loads[0].resolve(slow);
  await soon();
  for (const text of ["b", "c"]) made.type(text);
  assert.equal(made.task.status, "computing");
  assert.deepEqual(
    requests.map(({ signal }) => signal.aborted),
    [true, true, false],
  );
  for (const request of requests) request.resolve(request.text);
  await soon();
  assert.deepEqual(made.shown, ["c"]);
});

test("removed while its model loads and put back, it goes on", async () => {
  const made = figure();
  const { ready } = made;
  made.remove();
  await soon();
  made.insert();
  assert.equal(made.loads.length, 1);
  made.loads[0].resolve(echo);
  await ready;
  assert.deepEqual(made.shown, ["A"]);
});

test("how far a model has come is told while it's awaited, and changes nothing while the figure is away", async () => {
  const made = figure();
  const { ready } = made;
  made.loads[0].show("half of it");
  assert.deepEqual([made.statuses.at(-1), made.task.status], ["half of it", "loading"]);
  made.remove();
  await soon();
  made.loads[0].show("most of it");
  assert.deepEqual([made.statuses.at(-1), made.task.status], ["half of it", "away"]);
  made.insert();
  made.loads[0].resolve(echo);
  await ready;
  assert.deepEqual(made.shown, ["A"]);
});

test("removed before its model came, and put back after, it computes what is wanted then", async () => {
  const made = figure();
  const { ready } = made;
  made.remove();
  await soon();
  made.loads[0].resolve(echo);
  await soon();
  made.type("b");
  assert.deepEqual(made.shown, []);
  made.insert();
  await ready;
  assert.deepEqual(made.shown, ["B"]);
});

test("moved, it is not interrupted", async () => {
  let signal;
  const made = await computing({ attend: (_, given) => ((signal = given), "x") });
  made.type("b");
  made.remove();
  made.insert();
  await soon();
  assert.equal(signal.aborted, false);
});

test("removed while it computes, it gives up; put back, it computes", async () => {
  const requests = [];
  const made = await computing({
    attend: (text, signal) => {
      requests.push(signal);
      return requests.length === 2 ? later().promise : text;
    },
  });
  made.type("b");
  made.remove();
  await soon();
  assert.deepEqual([requests[1].aborted, made.task.status], [true, "away"]);
  made.insert();
  await soon();
  assert.deepEqual(made.shown, ["a", "b"]);
});

test("another model is loaded when it is chosen, the first kept", async () => {
  const made = await computing();
  made.names = ["two"];
  made.task.run();
  assert.deepEqual(
    made.loads.map(({ name }) => name),
    ["one", "two"],
  );
  made.names = ["one"];
  made.task.run();
  made.loads[1].resolve({ attend: () => "two" });
  await soon();
  assert.deepEqual(made.shown, ["A", "A"], "the last choice wins");
  made.names = ["two"];
  made.task.run();
  assert.equal(made.shown.at(-1), "two");
});

test("a model that does not come is said, and can be tried again", async () => {
  const made = figure();
  const { ready } = made;
  made.loads[0].reject(Object.assign(new Error("a part is missing."), { name: "Fault" }));
  await soon();
  assert.equal(made.statuses.at(-1), "The model could not be loaded: a part is missing. What you see stays.");
  assert.equal(made.task.status, "failed");
  made.act();
  made.loads[1].resolve(echo);
  await ready;
});

test("a model that fails is kept; one that is broken is loaded anew", async () => {
  const model = {
    attend: () => {
      throw new Error("no words of an engine reach a reader");
    },
  };
  const made = figure();
  made.ready;
  made.loads[0].resolve(model);
  await soon();
  assert.match(made.statuses.at(-1), /^It could not be computed: something went wrong\./);
  made.act();
  assert.equal(made.loads.length, 1);
  model.attend = () => Promise.reject(new Error("gone"));
  model.broken = true;
  made.act();
  await soon();
  made.act();
  assert.equal(made.loads.length, 2);
  made.loads[1].resolve(echo);
  await made.ready;
  assert.deepEqual(made.shown, ["A"]);
});

for (const thrown of [undefined, null, "no", 0])
  test(`a model that fails with ${String(thrown) || "nothing"}, no object, is said to have failed`, async () => {
    const made = figure();
    made.ready;
    made.loads[0].resolve({ attend: () => Promise.reject(thrown) });
    await soon();
    assert.match(made.statuses.at(-1), /^It could not be computed: something went wrong\./);
  });

for (const [how, refuse] of [
  [
    "at once",
    (refusal) => {
      throw refusal;
    },
  ],
  ["later", (refusal) => Promise.reject(refusal)],
])
  test(`a sentence that cannot be read is refused ${how}, and the figure is ready`, async () => {
    const refusal = Object.assign(new Error("“blorp” is unknown."), { name: "Fault", word: "blorp", near: [] });
    const made = figure();
    const { ready } = made;
    made.loads[0].resolve({ attend: () => refuse(refusal) });
    await ready;
    assert.match(made.statuses.at(-1), /“blorp” is unknown\./);
    assert.ok(!made.act);
  });

test("answers come together: at once if all do", async () => {
  assert.deepEqual(together([1, 2]), [1, 2]);
  assert.deepEqual(await together([1, Promise.resolve(2)]), [1, 2]);
});
