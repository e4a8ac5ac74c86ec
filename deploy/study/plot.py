"""Scatter plots with lines, and lines within bands, as SVG and nothing else."""

import math
from xml.sax.saxutils import escape

_COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e5ea2", "#d68910", "#555555")
_WIDTH, _HEIGHT = 840, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 280, 40, 55


class Axis:
    """Logarithmic, from the least to the greatest of the values."""

    def __init__(self, values, begin, end):
        low, high = min(values), max(values)
        margin = (high / low) ** 0.05 if high > low else 1.1
        self._low, self._high = math.log(low / margin), math.log(high * margin)
        self._begin, self._end = begin, end

    def at(self, value):
        share = (math.log(value) - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    def ticks(self):
        """Numbers of 1, 2, 5 times a power of ten; closer ones if these are few."""
        for steps in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8),
                      (1, 1.2, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.75, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9),
                      [1 + i / 20 for i in range(180)]):
            ticks = [m * 10**e for e in range(-3, 6) for m in steps
                     if self._low <= math.log(m * 10**e) <= self._high]
            if len(ticks) >= 4:
                return ticks
        return ticks


def _text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def _axes(x_axis, y_axis, title, x_name, y_name):
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = [_text((_LEFT + right) / 2, 22, title, more='font-weight="bold"'),
             _text((_LEFT + right) / 2, _HEIGHT - 14, x_name),
             _text(18, (_TOP + bottom) / 2, y_name,
                   more=f'transform="rotate(-90 18 {(_TOP + bottom) / 2:.1f})"'),
             f'<rect x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" '
             f'height="{bottom - _TOP}" fill="none" stroke="#999"/>']
    for tick in x_axis.ticks():
        x = x_axis.at(tick)
        parts.append(f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="#eee"/>')
        parts.append(_text(x, bottom + 18, f"{tick:g}"))
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#eee"/>')
        parts.append(_text(_LEFT - 8, y + 4, f"{tick:g}", anchor="end"))
    return parts


def svg(title, x_name, y_name, series, levels=()):
    """series: (name, colour number, style, [(x, y), …]), style one of solid, hollow (points) and
    dashed (hollow points and a dashed line); levels: (name, y). Both axes are logarithmic; points
    that are not finite are left out."""
    series = [(name, colour, style,
               sorted(p for p in points if all(map(math.isfinite, p))))
              for name, colour, style, points in series]
    xs = [x for line in series for x, _ in line[3]]
    ys = [y for line in series for _, y in line[3]] + [y for _, y in levels]
    x_axis = Axis(xs, _LEFT, _WIDTH - _RIGHT)
    y_axis = Axis(ys, _HEIGHT - _BOTTOM, _TOP)
    parts = _axes(x_axis, y_axis, title, x_name, y_name)
    legend_y = _TOP + 8
    legend_x = _WIDTH - _RIGHT + 14
    for name, colour, style, points in series:
        ink = _COLOURS[colour % len(_COLOURS)]
        dash = ' stroke-dasharray="5 4"' if style == "dashed" else ""
        where = [(x_axis.at(x), y_axis.at(y)) for x, y in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in where)
        if len(where) > 1:
            parts.append(f'<path d="M{path}" fill="none" stroke="{ink}"{dash}/>')
        fill = ink if style == "solid" else "white"
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{fill}" stroke="{ink}"/>'
                  for x, y in where]
        parts.append(f'<path d="M{legend_x} {legend_y}h22" stroke="{ink}"{dash}/>')
        parts.append(f'<circle cx="{legend_x + 11}" cy="{legend_y}" r="3.5" fill="{fill}" '
                     f'stroke="{ink}"/>')
        parts.append(_text(legend_x + 28, legend_y + 4, name, anchor="start"))
        legend_y += 19
    for name, y in levels:
        at = y_axis.at(y)
        parts.append(f'<path d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}" stroke="#333" '
                     'stroke-dasharray="2 3"/>')
        parts.append(_text(legend_x - 8, at + 4, name, anchor="start"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            'font-family="sans-serif" font-size="12">\n'
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


_PANEL_WIDTH, _PANEL_HEIGHT, _GAP = 270, 150, 46


def _panel(left, top, name, labels, told, exact):
    """Percent, linear from 0, over places that are named; see bands."""
    most = max([high for _, _, high in told] + list(exact))
    step = next(s for s in (.005, .01, .02, .05, .1, .2, .5) if most / s <= 5 or s == .5)

    def at(i, value):
        x = left + _PANEL_WIDTH * i / max(len(labels) - 1, 1)
        return f"{x:.1f} {top + _PANEL_HEIGHT * (1 - value / most):.1f}"

    parts = [_text(left, top - 8, name, anchor="start", more='font-weight="bold"'),
             f'<path d="M{left} {top + _PANEL_HEIGHT}h{_PANEL_WIDTH}" stroke="#999"/>']
    for i in range(int(most / step) + 1):
        x, y = at(0, i * step).split()
        parts.append(f'<path d="M{x} {y}h{_PANEL_WIDTH}" stroke="#eee"/>')
        parts.append(_text(left - 5, float(y) + 4, f"{100 * i * step:g} %", anchor="end"))
    every = -(-len(labels) // 6)
    for i in range(0, len(labels), every):
        parts.append(_text(float(at(i, 0).split()[0]), top + _PANEL_HEIGHT + 15, labels[i]))
    places = range(len(labels))
    band = ([at(i, told[i][0]) for i in places] +
            [at(i, told[i][2]) for i in reversed(places)])
    parts.append(f'<path d="M{"L".join(band)}Z" fill="{_COLOURS[0]}" opacity="0.18"/>')
    for values, line in (([share for _, share, _ in told], f'stroke="{_COLOURS[0]}"'),
                         (exact, 'stroke="#222" stroke-dasharray="4 3"')):
        path = "L".join(at(i, min(max(value, 0), most)) for i, value in enumerate(values))
        parts.append(f'<path d="M{path}" fill="none" stroke-width="1.6" {line}/>')
    return parts


def bands(title, labels, panels):
    """panels: (name, [(low, told, high), …], [exact, …]), one of each for a label; in [0, 1]."""
    rows = -(-len(panels) // 3)
    width = 3 * (_PANEL_WIDTH + _GAP) + _GAP
    height = 64 + rows * (_PANEL_HEIGHT + _GAP + 14)
    parts = [_text(width / 2, 20, title, more='font-weight="bold" font-size="14"'),
             _text(width / 2, height - 8, "line and band: told, 95 % intervals; dashed: exact")]
    for place, panel in enumerate(panels):
        parts += _panel(_GAP + place % 3 * (_PANEL_WIDTH + _GAP),
                        56 + place // 3 * (_PANEL_HEIGHT + _GAP + 14), panel[0], labels, *panel[1:])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="11">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")
