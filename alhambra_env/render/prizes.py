"""The panel of the player's aid: scores, and what the next round would bring everybody."""

from typing import Final

from ..engine.material import BUILDINGS
from .aid import Ranked
from .position import Panel, Position
from .seat import badge
from .shapes import at, rect, text, titled, use

AID_WIDTH: Final = 400

_PAD: Final = 16
_HEADING: Final = 34
_ROW: Final = 24
_BAR: Final = 20
_TOP: Final = _HEADING + 22
_ROWS: Final = len(BUILDINGS) + 2
_SCORES_TOP: Final = 28
_BADGE: Final = 26  # from a badge to what it is about
_PLACES: Final = ("1st", "2nd", "3rd")
_FIRST_PRIZE: Final = 122
_PRIZE: Final = 23
_DIRK: Final = "D"


def aid_height(players: int) -> int:
    """Return how high the panel is with so many players, Dirk among them."""
    return _TOP + _ROWS * _ROW + _SCORES_TOP + players * _BAR + 8


def draw_aid_panel(position: Position, size: tuple[int, int] | None = None) -> Panel:
    """Return the panel of the aid; in a wide one the scores are beside the points.

    Its rows spread over the height. Without a size it is as high as it has to be.
    """
    players = len(position.standing.players)
    width, height = size or (AID_WIDTH, aid_height(players))
    if width > AID_WIDTH:
        row = (height - _TOP - 10) / _ROWS
        bar = min(_BAR * 2.4, (height - _TOP - 10) / players)
        points_width = max(AID_WIDTH, round(width * 0.6))
        line = f"M{points_width + 0.5} {_PAD}V{height - _PAD}"
        room = width - points_width - 2 * _PAD
        scores = at(points_width + _PAD, 6, _draw_scores(position, room, bar))
    else:
        points_width = AID_WIDTH
        spread = (height - aid_height(players)) / (_ROWS + players)
        row, bar = _ROW + spread, _BAR + spread
        end = round(_TOP + _ROWS * row)
        line = f"M{_PAD} {end + 0.5}H{AID_WIDTH - _PAD}"
        scores = at(_PAD, end, _draw_scores(position, AID_WIDTH - 2 * _PAD, bar))
    parts = [
        rect(0.5, 0.5, width - 1, height - 1, "box", 10),
        _draw_points(position, points_width, row),
        f'<path class="rule" d="{line}"/>',
        scores,
    ]
    return Panel(width, height, "".join(parts), _title(position))


def _title(position: Position) -> str:
    round_number = position.standing.scoring + 1
    if position.standing.is_over:
        return f"How round {round_number} was scored"
    return f"If round {round_number} were scored now"


def _sign(position: Position, player: int) -> int | str:
    return player if player < position.snapshot["num_players"] else _DIRK


def _draw_points(position: Position, width: float, row: float) -> str:
    now = position.standing
    places = len(now.prizes[0])
    first = _FIRST_PRIZE + places * _PRIZE - 8
    step = (width - _PAD + 2 - first) / len(now.players)
    top = _HEADING + 8
    parts = [text(_PAD, 26, _title(position), "q")]
    parts += [text(_FIRST_PRIZE + p * _PRIZE, top + 8, _PLACES[p], "s e") for p in range(places)]
    middles = [first + (i + 0.5) * step for i in range(len(now.players))]
    for i, x in enumerate(middles):
        parts.append(badge(x, top + 4, _sign(position, i), i in position.winners, 8))
    for building, name in enumerate(BUILDINGS):
        y = _TOP + (building + 0.5) * row
        parts.append(use(f"a-b{building}", _PAD, y - 9))
        parts.append(text(_PAD + 26, y + 4.5, name))
        for place, prize in enumerate(now.prizes[building]):
            parts.append(text(_FIRST_PRIZE + place * _PRIZE, y + 4.5, prize, "m e"))
        parts += [
            _cell(x, y, player.tiles[building], points)
            for x, player, points in zip(middles, now.players, now.points[building], strict=True)
        ]
    for i, (name, values) in enumerate(_sums(position)):
        y = _TOP + (len(BUILDINGS) + i + 0.5) * row
        parts.append(text(_PAD + 26, y + 4.5, name, "q" if i else ""))
        for x, value in zip(middles, values, strict=True):
            if value:
                parts.append(text(x + 13, y + 4.5, f"+{value}", "q e" if i else "e"))
            else:
                parts.append(_cell(x, y, 0, 0))
    return "".join(parts)


def _sums(position: Position) -> list[tuple[str, list[int]]]:
    now = position.standing
    return [("wall", [player.wall for player in now.players]), ("together", now.totals)]


def _cell(x: float, y: float, tiles: int, points: int) -> str:
    """Return how many tiles of a type a player has, and the points that they bring."""
    if not tiles:
        return text(x - 6, y + 4.5, "·", "m e")
    drawn = text(x - 6, y + 4.5, tiles, "q e")
    return drawn + (text(x - 4, y + 4.5, f"+{points}", "s") if points else "")


def _draw_scores(position: Position, width: float, bar: float) -> str:
    """Return a bar for each player: the score, and lighter what the next round would add."""
    players, totals = position.standing.players, position.standing.totals
    gains = [0] * len(players) if position.is_over else totals
    most = max(20, *(p.score + gain for p, gain in zip(players, gains, strict=True)))
    room = width - _BADGE - 72
    label = "Scores" if position.is_over else "Scores, with this round"
    parts = [text(0, 20, label, "s")]
    for i, (player, gain) in enumerate(zip(players, gains, strict=True)):
        y = _SCORES_TOP + (i + 0.5) * bar
        score, sum_ = player.score / most * room, (player.score + gain) / most * room
        parts.append(badge(9, y, _sign(position, i), i in position.winners, 8))
        drawn = rect(_BADGE, y - 5, max(sum_, 1), 10, "line", 2)
        drawn += rect(_BADGE, y - 5, max(score, 1), 10, "turn", 2)
        parts.append(titled(_score_title(position, i, player, gain), drawn))
        parts.append(text(_BADGE + sum_ + 8, y + 4.5, player.score, "q"))
        if gain:
            after = _BADGE + sum_ + 14 + 8 * len(str(player.score))
            parts.append(text(after, y + 4.5, f"+{gain}", "s"))
    return "".join(parts)


def _score_title(position: Position, i: int, player: Ranked, gain: int) -> str:
    name = position.names[i] if i < len(position.names) else player.name
    return f"{name}: {player.score} points" + (f", {player.score + gain} with it" if gain else "")
