"""The induction model learns in NumPy: its forward pass, and the backward pass written out by hand.

`network.py` leaves the gradients to PyTorch. Here each function that goes forward has one that goes back: it gets the
gradient of the loss by its result, dY, and gives those by what it read. Weights are nn.Linear's, [out, in], by the
names of `AttentionOnly`'s tensors. Axes: b sequence, h head, t position (q of a query, k of a key), d width.
"""

import math

import numpy as np

from manyheads.attention import softmax

EPSILON = 1e-5  # of a layer norm


# --- Attention
def attention(X, Wq, Wk, Wv, Wo, heads):  # [b, t, d] -> [b, t, d], what the way back needs
    Q, K, V = (split(X @ W.T, heads) for W in (Wq, Wk, Wv))  # 3 × [b, h, t, d_k]
    causal = np.tri(X.shape[1], dtype=bool)
    A = softmax(Q @ turned(K) / math.sqrt(Q.shape[-1]), causal)  # [b, h, q, k]
    C = join(A @ V)  # [b, q, h * d_v]
    return C @ Wo.T, (X, Q, K, V, A, C)


def attention_back(dY, kept, Wq, Wk, Wv, Wo):  # [b, t, d] -> [b, t, d], {name: dW}
    """The gradient of attention: each step of it once more, from the last to the first."""
    X, Q, K, V, A, C = kept
    dC = split(dY @ Wo, A.shape[1])  # [b, h, q, d_v]: output = C Wo^T
    dV = turned(A) @ dC  # [b, h, k, d_v]: context = A V
    dA = dC @ turned(V)  # [b, h, q, k]
    dS = A * (dA - (dA * A).sum(-1, keepdims=True))  # [b, h, q, k]: A = softmax(S)
    dS = dS / math.sqrt(Q.shape[-1])
    dQ = dS @ K  # [b, h, q, d_k]: scores = Q K^T / sqrt(d_k)
    dK = turned(dS) @ Q  # [b, h, k, d_k]
    dQ, dK, dV = join(dQ), join(dK), join(dV)  # 3 × [b, t, h * d_k]
    dX = dQ @ Wq + dK @ Wk + dV @ Wv  # [b, t, d]: three roads lead back to a word
    dW = {"query": by(dQ, X), "key": by(dK, X), "value": by(dV, X), "output": by(dY, C)}
    return dX, dW


def split(x, heads):  # [b, t, h * d] -> [b, h, t, d]
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def join(x):  # [b, h, t, d] -> [b, t, h * d]
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def turned(x):  # [..., t, d] -> [..., d, t]
    return x.swapaxes(-1, -2)


def by(dY, X):  # [b, t, out], [b, t, in] -> [out, in]
    """The gradient of W, where Y = X W^T."""
    return np.tensordot(dY, X, axes=((0, 1), (0, 1)))


# --- The layer norm
def layer_norm(X, gain, bias):  # [b, t, d] -> [b, t, d], what the way back needs
    centred = X - X.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)  # [b, t, 1]
    N = centred / spread
    return N * gain + bias, (N, spread)


def layer_norm_back(dY, kept, gain):  # [b, t, d] -> [b, t, d], the gradients of gain and bias
    N, spread = kept
    dN = dY * gain
    dX = (dN - dN.mean(-1, keepdims=True) - N * (dN * N).mean(-1, keepdims=True)) / spread
    return dX, {"weight": (dY * N).sum((0, 1)), "bias": dY.sum((0, 1))}


# --- The whole model
def loss_and_gradients(tensors, ids, heads):  # {name: array}, [b, t] -> loss, {name: array}
    """How surprised the model is by the next symbols, on average in nats, and the gradient of that by each tensor.

    >>> from manyheads.models.induction.network import AttentionOnly, InductionConfig
    >>> network = AttentionOnly(InductionConfig(width=8, symbols=5, positions=6))
    >>> tensors = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    >>> loss, gradients = loss_and_gradients(tensors, np.array([[0, 1, 2, 0, 1, 2]]), heads=2)
    >>> gradients["layers.1.key.weight"].shape
    (8, 8)
    """
    x = tensors["symbol.weight"][ids] + tensors["position"][: ids.shape[1]]  # [b, t, d]
    layers = sum(name.endswith("query.weight") for name in tensors)
    projections = ("query", "key", "value", "output")
    weights = [[tensors[f"layers.{layer}.{name}.weight"] for name in projections] for layer in range(layers)]
    norms = [f"norms.{layer}" for layer in range(layers)]
    kept = []
    for norm, own in zip(norms, weights):
        words, kept_norm = layer_norm(x, tensors[f"{norm}.weight"], tensors[f"{norm}.bias"])
        output, kept_attention = attention(words, *own, heads)
        x = x + output
        kept.append((kept_norm, kept_attention))
    state, kept_last = layer_norm(x, tensors["norm.weight"], tensors["norm.bias"])
    chances = softmax(state @ tensors["next.weight"].T)  # [b, t, symbol]
    place = (*np.ogrid[: ids.shape[0], : ids.shape[1] - 1], ids[:, 1:])  # of the symbols that do come
    loss = -np.log(chances[place]).mean()

    dscores = chances.copy()  # the loss by the scores: what was expected less what came
    dscores[place] -= 1
    dscores[:, -1] = 0  # nothing comes after the last
    dscores /= ids.shape[0] * (ids.shape[1] - 1)
    gradients = {"next.weight": by(dscores, state)}
    dx, own = layer_norm_back(dscores @ tensors["next.weight"], kept_last, tensors["norm.weight"])
    gradients |= {f"norm.{name}": gradient for name, gradient in own.items()}
    for layer in reversed(range(layers)):
        kept_norm, kept_attention = kept[layer]
        dwords, own = attention_back(dx, kept_attention, *weights[layer])
        gradients |= {f"layers.{layer}.{name}.weight": gradient for name, gradient in own.items()}
        change, own = layer_norm_back(dwords, kept_norm, tensors[f"{norms[layer]}.weight"])
        gradients |= {f"{norms[layer]}.{name}": gradient for name, gradient in own.items()}
        dx = dx + change  # what was added goes back both ways: through the layer, and past it
    gradients["position"] = np.zeros_like(tensors["position"])
    gradients["position"][: ids.shape[1]] = dx.sum(0)
    gradients["symbol.weight"] = np.zeros_like(tensors["symbol.weight"])
    np.add.at(gradients["symbol.weight"], ids, dx)  # a symbol that comes several times is blamed for all
    return loss, gradients


class AdamW:
    """Loshchilov and Hutter 2019, arXiv:1711.05101, with the defaults of `torch.optim.AdamW`; changes tensors in place.

    >>> tensors = {"w": np.array([1.0])}
    >>> AdamW(tensors, rate=0.1).step({"w": np.array([3.0])})
    >>> tensors["w"].round(3)  # down by the rate, and a little towards 0
    array([0.899])
    """

    def __init__(self, tensors, rate, betas=(0.9, 0.999), decay=0.01):
        self.tensors, self.rate, self.betas, self.decay, self.steps = tensors, rate, betas, decay, 0
        self.means = {name: np.zeros_like(tensor) for name, tensor in tensors.items()}
        self.squares = {name: np.zeros_like(tensor) for name, tensor in tensors.items()}

    def step(self, gradients):
        self.steps += 1
        one, two = self.betas
        for name, tensor in self.tensors.items():
            self.means[name] = one * self.means[name] + (1 - one) * gradients[name]
            self.squares[name] = two * self.squares[name] + (1 - two) * gradients[name] ** 2
            mean = self.means[name] / (1 - one**self.steps)
            spread = np.sqrt(self.squares[name] / (1 - two**self.steps)) + 1e-8
            tensor *= 1 - self.rate * self.decay
            tensor -= self.rate * mean / spread
