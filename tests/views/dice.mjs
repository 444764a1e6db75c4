// Sequences of actions at random, always the same for a seed, for the states of figures.

/** Numbers below `bound`. */
export function dice(seed) {
  let state = seed;
  return (bound) => {
    state = (state * 48271) % 2147483647;
    return state % bound;
  };
}

export const pick = (roll, list) => list[roll(list.length)];

/**
 * Does twenty actions to each of two thousand states, by `reduce`; `anyAction(roll, state)` gives the next one. After each,
 * `check({ before, action, after, needs, ... })` holds what is always so. No action changes a state.
 */
export function walk(start, anyAction, reduce, check) {
  for (let seed = 1; seed <= 2000; seed++) {
    const roll = dice(seed);
    let before = start(roll);
    for (let step = 0; step < 20; step++) {
      const action = anyAction(roll, before);
      for (const part of [before, ...Object.values(before).filter(Array.isArray)]) Object.freeze(part);
      try {
        const { state: after, ...rest } = reduce(before, action);
        check({ before, action, after, ...rest });
        before = after;
      } catch (error) {
        error.message = `seed ${seed}, step ${step}, ${JSON.stringify(action).slice(0, 90)}: ${error.message}`;
        throw error;
      }
    }
  }
}
