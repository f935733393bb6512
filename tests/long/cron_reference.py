# SPDX-License-Identifier: Apache-2.0
"""Cron schedules as Karpenter's budgets understand them, written for plainness from the description of the grammar, and a
generator of expressions. Knows nothing of the library."""
import datetime
import random
import re

UTC = datetime.timezone.utc
MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
FIELDS = [(0, 59, []), (0, 23, []), (1, 31, []), (1, 12, MONTHS), (0, 6, DAYS)]
WORDS = {'@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *', '@monthly': '0 0 1 * *', '@weekly': '0 0 * * 0',
         '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@hourly': '0 * * * *'}
UNITS = {'ns': 1, 'us': 10**3, 'ms': 10**6, 's': 10**9, 'm': 60 * 10**9, 'h': 3600 * 10**9}


class Wrong(Exception):
    pass


def number(text, least, names):
    if text.lower() in names:
        return names.index(text.lower()) + least
    if not re.fullmatch(r'[+-]?[0-9]+', text) or int(text) < 0:
        raise Wrong(text)
    return int(text)


def item_values(item, least, most, names):
    """The values of one item of a list, and whether it is a star."""
    parts = item.split('/')
    if len(parts) > 2:
        raise Wrong(item)
    ends = parts[0].split('-')
    star = ends[0] in ('*', '?')
    if star:
        first, last = least, most
    else:
        if len(ends) > 2:
            raise Wrong(item)
        first = number(ends[0], least, names)
        last = number(ends[1], least, names) if len(ends) == 2 else first
    step = 1
    if len(parts) == 2:
        step = number(parts[1], 0, [])
        if len(ends) == 1:
            last = most
        star = star and step <= 1
    if first < least or last > most or first > last or step == 0:
        raise Wrong(item)
    return set(range(first, last + 1, step)), star


def field_values(field, least, most, names):
    values, star = set(), False
    for item in field.split(','):
        if item:
            more, one = item_values(item, least, most, names)
            values |= more
            star = star or one
    return values, star


def every(text):
    """Nanoseconds of a Go duration."""
    match = re.fullmatch(r'([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|ms|s|m|h))+', text)
    if not match:
        if text in ('0', '+0', '-0'):
            return 0
        raise Wrong(text)
    total = 0
    for amount, unit in re.findall(r'(\d+(?:\.\d*)?|\.\d+)(ns|us|ms|s|m|h)', text):
        whole, _, part = amount.partition('.')
        total += int(whole or '0') * UNITS[unit] + int(part or '0') * UNITS[unit] // 10**len(part)
    return -total if text.startswith('-') else total


class Schedule:
    def __init__(self, text):
        text = text.strip(' \t')
        self.period = None
        if text.startswith('@every '):
            period = every(text[len('@every '):])
            self.period = max(period // 10**9, 1)
            return
        if text.startswith('@'):
            if text not in WORDS:
                raise Wrong(text)
            text = WORDS[text]
        fields = text.split()
        if len(fields) != 5:
            raise Wrong(text)
        parsed = [field_values(field, *bounds) for field, bounds in zip(fields, FIELDS)]
        self.minutes, self.hours, self.days, self.months, self.weekdays = (sorted(values) for values, _ in parsed)
        self.both = parsed[2][1] or parsed[4][1]  # a star: the day of the month and of the week must agree

    def on_day(self, date):
        if date.month not in self.months:
            return False
        day, weekday = date.day in self.days, date.isoweekday() % 7 in self.weekdays
        return day and weekday if self.both else day or weekday

    def after(self, instant):
        """The first hit after a whole second; None when there is none within five calendar years."""
        if self.period:
            return instant + datetime.timedelta(seconds=self.period)
        first = instant + datetime.timedelta(seconds=1)
        date, last = first.date(), first.year + 5
        if not (self.minutes and self.hours and self.months):
            return None
        while date.year <= last:
            if self.on_day(date):
                for hour in self.hours:
                    for minute in self.minutes:
                        hit = datetime.datetime(date.year, date.month, date.day, hour, minute, tzinfo=UTC)
                        if hit >= first:
                            return hit
            date += datetime.timedelta(days=1)
        return None


def hits(text, start, count=4):
    """The next hits as text; None: the expression is refused. After a hit that never comes nothing follows."""
    try:
        schedule = Schedule(text)
    except Wrong:
        return None
    out = []
    for _ in range(count):
        start = schedule.after(start)
        if start is None:
            return [*out, '0001-01-01T00:00:00Z']
        out.append(start.strftime('%Y-%m-%dT%H:%M:%SZ'))
    return out


# ---- expressions ----------------------------------------------------------------------------------------------------

def make_item(chance, least, most, names):
    def value():
        kind = chance.random()
        if names and kind < 0.4:
            name = chance.choice(names)
            return ''.join(chance.choice([c, c.upper()]) for c in name)
        if kind > 0.992:
            return str(chance.choice([most + 1, least - 1, 99, -1, 10**19, 7]))
        if kind > 0.975:
            return chance.choice(['+', '0', '00', '-']) + str(chance.randint(least, most))
        return str(chance.randint(least, most))

    shape = chance.random()
    if shape < 0.35:
        text = chance.choice(['*', '*', '*', '?', '*-5', '*-x'])
    elif shape < 0.65:
        text = value()
    else:
        low, high = value(), value()
        try:
            if chance.random() < 0.95 and number(low, least, names) > number(high, least, names):
                low, high = high, low
        except Wrong:
            pass
        text = f'{low}-{high}'
    if chance.random() < 0.3:
        text += '/' + str(chance.choice([1, 1, 1, 2, 2, 3, 3, 5, 5, 7, 7, 10, 10, 15, 15, 20, 20, 90, 0, 1000]))
    if chance.random() < 0.01:
        text += chance.choice(['/', '-', 'L', '#2', 'W', '/2/3', '-1-2', '.5', '*', 'mon', 'sunday'])
    return text


def make_field(chance, bounds):
    shape = chance.random()
    if shape < 0.35:
        return '*'
    count = 1 if shape < 0.8 else chance.randint(2, 4)
    text = ','.join(make_item(chance, *bounds) for _ in range(count))
    if chance.random() < 0.02:
        text += ','
    return text


def make_expression(chance):
    kind = chance.random()
    if kind < 0.03:
        text = chance.choice([*WORDS, '@Daily', '@', '@reboot', '@every', '@daily x', '@hourly '])
    elif kind < 0.05:
        text = '@every ' + chance.choice(['1h', '90m', '1h30m', '10s', '1.5h', '500ms', '0', '-1h', '1', 'x', '2h0m0s', '.5m'])
    else:
        fields = [make_field(chance, bounds) for bounds in FIELDS]
        odd = chance.random()
        if odd < 0.01:
            fields.pop()
        elif odd < 0.02:
            fields.append('*')
        elif odd < 0.03:
            fields.insert(0, chance.choice(['TZ=UTC', 'CRON_TZ=Asia/Tokyo', 'TZ=x']))
        text = ' '.join(fields)
        if chance.random() < 0.03:
            text = text.replace(' ', chance.choice(['  ', '\t', ' \t ']))
        if chance.random() < 0.02:
            text = chance.choice([' ', '\t']) + text + ' '
    return text


def make_instant(chance):
    start = datetime.datetime(1990, 1, 1, tzinfo=UTC)
    if chance.random() < 0.2:
        year, month = chance.randint(1990, 2110), chance.randint(1, 12)
        start = datetime.datetime(year, month, 1, tzinfo=UTC)
        return start + datetime.timedelta(seconds=chance.randint(-2, 2))
    return start + datetime.timedelta(seconds=chance.randint(0, 120 * 365 * 86400))


def make(count, seed):
    """Pairs of an expression and an instant."""
    chance = random.Random(seed)
    return [(make_expression(chance), make_instant(chance)) for _ in range(count)]


def line(text, start):
    found = hits(text, start)
    if found is None:
        return f'CRON "{text}" error '
    return f'CRON "{text}" from {start.strftime("%Y-%m-%dT%H:%M:%SZ")}: {" ".join(found)} '
