# SPDX-License-Identifier: MIT
"""Tables as text and as HTML, and masked arrays in notebooks."""
import numpy as np

most_rows, most_columns = 12, 12  # cells of a table; a larger array shows its edges


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def as_table(head, rows):
    """Lines of columns of equal width."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def table_html(head, rows):
    """A table of HTML."""
    cells = lambda tag, line: "".join(f"<{tag}>{_escaped(cell)}</{tag}>" for cell in line)  # noqa: E731
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def facts(masked):
    """One line: shape, dtype, layout, and how much is specified."""
    count, size = masked.specified_count(), masked.size
    share = f" ({100 * count / size:.3g} %)" if size else ""
    return f"{list(masked.shape)} {masked.dtype}, {masked.layout}, {count} of {size} specified{share}"


def _edges(extent, most):
    """Places that are shown, with None where others are left out."""
    if extent <= most:
        return list(range(extent))
    half = most // 2
    return [*range(half), None, *range(extent - half, extent)]


def masked_html(masked):
    """A table whose unspecified cells are grey, a picture of the mask, and a line of facts.

    An array of more than two dimensions shows the matrix at the first place of the others."""
    shown = masked
    while shown.ndim > 2:
        shown = shown[0]
    line = f"<div>{_escaped(facts(masked))}</div>"
    if shown.ndim < 1 or 0 in shown.shape:
        return line
    if shown.ndim == 1:
        shown = shown[None, :]
    rows, columns = _edges(shown.shape[0], most_rows), _edges(shown.shape[1], most_columns)
    at = np.ix_([i for i in rows if i is not None], [j for j in columns if j is not None])
    part = shown[at[0].ravel()][:, at[1].ravel()]
    values, mask = part.filled(0), part.mask
    body = []
    given_rows = iter(range(values.shape[0]))
    for i in rows:
        if i is None:
            body.append(f"<tr>{'<td>…</td>' * len(columns)}</tr>")
            continue
        row, given = next(given_rows), iter(range(values.shape[1]))
        body.append(f"<tr>{''.join('<td>…</td>' if j is None else _cell(values, mask, row, next(given)) for j in columns)}</tr>")
    return f'{line}<div style="display:flex;gap:1em"><table>{"".join(body)}</table>{_picture(shown)}</div>'


def _cell(values, mask, i, j):
    if not mask[i, j]:
        return '<td style="background:#ddd;color:#888">--</td>'
    return f"<td>{_escaped(f'{values[i, j]:.6g}' if values.dtype.kind == 'f' else str(values[i, j]))}</td>"


def _picture(matrix, side=96):
    """The mask as a picture of at most 32 x 32 squares, darker where more is specified."""
    rows, columns = matrix.shape
    if rows * columns > 1 << 22:
        return ""
    mask = matrix.mask.astype(float)
    high, wide = min(rows, 32), min(columns, 32)
    of_rows, of_columns = np.linspace(0, rows, high + 1).astype(int), np.linspace(0, columns, wide + 1).astype(int)
    shares = np.add.reduceat(np.add.reduceat(mask, of_rows[:-1], axis=0), of_columns[:-1], axis=1)
    shares = shares / np.outer(np.diff(of_rows), np.diff(of_columns))
    squares = "".join(
        f'<rect x="{j}" y="{i}" width="1" height="1" fill-opacity="{shares[i, j]:.2f}"/>'
        for i in range(high) for j in range(wide) if shares[i, j] > 0
    )  # fmt: skip
    size = f'width="{side * wide // max(high, wide)}" height="{side * high // max(high, wide)}" viewBox="0 0 {wide} {high}"'
    return f'<svg {size} style="border:1px solid #888"><title>the mask</title>{squares}</svg>'
