"""Numbers as people read them: as `math/text.ts` writes them."""

from decimal import ROUND_HALF_UP, Context, Decimal


def percent(share):
    """A share of 1 in per cent, to a tenth below ten.

    >>> percent(0.034), percent(0.125)
    ('3.4\\xa0%', '13\\xa0%')
    """
    return f"{fixed(100 * float(share), 1 if 0 < share < 0.0995 else 0)}\xa0%"  # they stay on one line


def fixed(value, digits):
    """A number with so many decimals, halves rounded away from zero: as `toFixed` of JavaScript writes it.

    >>> fixed(0.125, 2), f"{0.125:.2f}"
    ('0.13', '0.12')
    >>> fixed(-0.0, 2), f"{-0.0:.2f}"
    ('0.00', '-0.00')
    """
    return f"{HALF_UP.quantize(Decimal(float(value) + 0.0), Decimal(1).scaleb(-digits)):f}"


def amount(value, *, signed=False):
    """A weight that is not a share, to about three digits; `signed`, with its sign.

    >>> amount(0.1234), amount(12.34), amount(-0.5, signed=True), amount(0.5, signed=True)
    ('0.123', '12.3', '\u22120.500', '+0.500')
    """
    size = abs(float(value))
    text = fixed(size, 3 if size < 1 else 2 if size < 10 else 1 if size < 100 else 0)
    sign = "\u2212" if value < 0 else "+" if signed and value > 0 else ""
    return sign + text


HALF_UP = Context(prec=400, rounding=ROUND_HALF_UP)  # digits enough for any float
