# SPDX-License-Identifier: MIT
"""A small transformer: it learns to copy sequences of any length, and to predict Shakespeare's next letter."""
import frisket as fk
import numpy as np
import report

batch, length, width, heads, letters = 64, 32, 64, 4, 65
projections = ("query", "key", "value", "out")


def norm(x, scale, shift):
    """Layer normalisation."""
    centred = x - fk.mean(x, axis=-1, keepdims=True)
    return centred / fk.sqrt(fk.mean(fk.square(centred), axis=-1, keepdims=True) + 1e-5) * scale + shift


def attention(x, mask, query, key, value, out):
    """Attention of each position to those where `mask`, [batch, 1, length, length], is true."""
    by_head = (batch, length, heads, width // heads)
    q, k, v = (fk.permute(fk.reshape(x @ w, by_head), (0, 2, 1, 3)) for w in (query, key, value))
    scores = fk.masked(q @ fk.permute(k, (0, 1, 3, 2)) * (width // heads) ** -0.5, mask)
    mixed = fk.to_dense(fk.softmax(scores, axis=3) @ v, 0)
    return fk.reshape(fk.permute(mixed, (0, 2, 1, 3)), (batch, length, width)) @ out


@fk.jit
def evaluated(ids, wanted, is_wanted, mask, p):
    """The loss in bits a letter, the share of letters that are right, and gradients: of the letters that are wanted."""
    x = p["letters"][ids] + p["positions"]
    x = x + attention(norm(x, p["scale_a"], p["shift_a"]), mask, *(p[name] for name in projections))
    x = x + fk.relu(norm(x, p["scale_b"], p["shift_b"]) @ p["wide"]) @ p["narrow"]
    scores = fk.log_softmax(norm(x, p["scale"], p["shift"]) @ p["scores"], axis=2)
    bits = fk.sum(fk.where(wanted[:, :, None] == np.arange(letters), scores, 0.0), axis=2) / -np.log(2.0)
    is_right = fk.where(fk.argmax(scores, axis=2) == wanted, 1.0, 0.0)
    loss = fk.mean(fk.masked(bits, is_wanted))
    gradients = {name: fk.to_dense(g, 0.0) for name, g in fk.gradient(loss, p).items()}  # letters of no excerpt: 0
    return loss, fk.mean(fk.masked(is_right, is_wanted)), gradients


def with_mask(ids, wanted, is_wanted, is_token):
    """The arguments of `evaluated`: a position attends to tokens that are not padding, up to itself."""
    return ids, wanted, is_wanted, np.tri(length, dtype=bool) & is_token[:, None, None, :]


def copies(generator):
    """A batch of 4 to 16 letters, padding up to 16, a separator, and the letters again, which are wanted."""
    half, place = length // 2, np.arange(length)
    count = generator.integers(4, half + 1, (batch, 1))
    text = generator.integers(0, 10, (batch, half))
    ids = np.concatenate([text, np.full((batch, 1), 10), text], axis=1)
    is_token = (place % half < count) | (place == half)
    return with_mask(ids[:, :-1], ids[:, 1:], (place >= half) & (place - half < count), is_token)


def excerpts(text, generator):
    """A batch of excerpts, of which each next letter is wanted."""
    ids = text[generator.integers(0, len(text) - length, (batch, 1)) + np.arange(length + 1)]
    everywhere = np.ones((batch, length), bool)
    return with_mask(ids[:, :-1], ids[:, 1:], everywhere, everywhere)


def initial(generator):
    """Parameters by name."""
    shapes = {"letters": (letters, width), "positions": (length, width), "scores": (width, letters)}
    shapes |= {name: (width, width) for name in projections}
    shapes |= {"wide": (width, 4 * width), "narrow": (4 * width, width)}
    p = {name: generator.normal(0, shape[0] ** -0.5, shape) for name, shape in shapes.items()}
    for name in ("", "_a", "_b"):
        p |= {f"scale{name}": np.ones(width), f"shift{name}": np.zeros(width)}
    return {name: values.astype("float32") for name, values in p.items()}


def trained(run, name, epochs, draw, check, step, measure):
    """Calls a step, which returns its loss, on 50 batches an epoch; returns the means of what is measured on others."""
    generator = np.random.default_rng(1)
    for _ in run.epochs(name, epochs):
        run.loss(name, np.mean([float(step(*draw(generator))) for _ in range(50)]))
    return np.mean([[float(number) for number in measure(*inputs)[:2]] for inputs in check], axis=0)


def in_frisket(run, name, epochs, draw, check, p):
    """Bits a letter and the share of right letters of a model that frisket trains."""
    p = {key: values.copy() for key, values in p.items()}
    optimizer = fk.optim.AdamW(p, lr=0.003)

    def step(*inputs):
        loss, _, gradients = evaluated(*inputs, p)
        optimizer.step(gradients, clip_norm=1.0)
        return loss
    return trained(run, name, epochs, draw, check, step, lambda *inputs: evaluated(*inputs, p))


def in_torch(run, name, epochs, draw, check, p):
    """Bits a letter and the share of right letters of the model that PyTorch trains, with its fused attention."""
    import torch
    from torch.nn import functional
    p = {key: torch.tensor(values, requires_grad=True) for key, values in p.items()}
    optimizer = torch.optim.AdamW(p.values(), lr=0.003)

    def losses(*inputs):
        ids, wanted, is_wanted, mask = map(torch.tensor, inputs)
        x = p["letters"][ids] + p["positions"]
        y = functional.layer_norm(x, (width,), p["scale_a"], p["shift_a"])
        q, k, v = ((y @ p[key]).view(batch, length, heads, -1).transpose(1, 2) for key in projections[:3])
        y = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)
        x = x + y @ p["out"]
        y = functional.layer_norm(x, (width,), p["scale_b"], p["shift_b"])
        x = x + torch.relu(y @ p["wide"]) @ p["narrow"]
        scores = functional.layer_norm(x, (width,), p["scale"], p["shift"]) @ p["scores"]
        scores, wanted = scores[is_wanted], wanted[is_wanted]
        return functional.cross_entropy(scores, wanted) / np.log(2.0), (scores.argmax(1) == wanted).double().mean()

    def step(*inputs):
        optimizer.zero_grad()
        loss = losses(*inputs)[0]
        loss.backward()
        torch.nn.utils.clip_grad_norm_(p.values(), 1.0)
        optimizer.step()
        return loss.detach()
    return trained(run, name, epochs, draw, check, step, torch.no_grad()(losses))


def main():
    chosen = report.options(__doc__, epochs=4)
    run, generator = report.Report("Transformer: Shakespeare, bits a letter", chosen), np.random.default_rng(chosen.seed)
    with run.phase("data"):
        text = np.unique([*(report.data / "shakespeare.txt").read_bytes()], return_inverse=True)[1]
        first, last = np.split(text, [len(text) * 9 // 10])
        copied, check = [copies(generator) for _ in range(10)], [excerpts(last, generator) for _ in range(20)]
        start = initial(generator)

    copying = report.Report("Transformer: copies", chosen)
    with run.phase("copies"):
        print(f"accuracy of copies: {in_frisket(copying, 'frisket', 4, copies, copied, start)[1]:.4f}")
    epochs, draw = 2 if chosen.small else chosen.epochs, lambda generator: excerpts(first, generator)
    bits = in_frisket(run, "frisket", epochs, draw, check, start)[0]
    if chosen.torch:
        run.compare("bits a letter", bits, in_torch(run, "PyTorch", epochs, draw, check, start)[0])
    run.close("bits a letter", bits)


if __name__ == "__main__":
    main()
