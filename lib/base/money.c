/* SPDX-License-Identifier: Apache-2.0 */
#include <base/money.h>

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Writes `units` of 10^-digits, with separators between the thousands. */
static size_t write_units(uint64_t units, unsigned digits, char *text)
{
    char reversed[MONEY_TEXT];
    size_t n = 0, length = 0;
    for (unsigned place = 0; place <= digits || units > 0; place++, units /= 10) {
        if (place == digits) reversed[n++] = '.';
        else if (place > digits && (place - digits) % 3 == 0) reversed[n++] = ',';
        reversed[n++] = (char)('0' + units % 10);
    }
    while (n > 0) text[length++] = reversed[--n];
    text[length] = '\0';
    return length;
}

/* A number too large to be exact. */
static size_t __attribute__((format(printf, 3, 4))) write_rounded(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, room, format, arguments);
    va_end(arguments);
    return (size_t)length;
}

/* The dollar sign, and what stands before it. */
static size_t write_sign(bool minus, bool plus, char *text)
{
    const char *before = minus ? "-$" : plus ? "+$" : "$";
    size_t length = strlen(before);
    memcpy(text, before, length);
    return length;
}

size_t money_hourly(double value, char text[MONEY_TEXT])
{
    if (!(fabs(value) < 1e14)) return write_rounded(text, MONEY_TEXT, "%.6g", value);
    uint64_t units = (uint64_t)(fabs(value) * 10000 + 0.5);
    bool minus = value < 0 && units > 0;
    text[0] = '-';
    return minus + (units % 10 == 0 ? write_units(units / 10, 3, text + minus) : write_units(units, 4, text + minus));
}

size_t money_rate(double value, bool sign, char text[MONEY_TEXT])
{
    char amount[MONEY_TEXT];
    size_t length = money_hourly(value, amount);
    bool minus = amount[0] == '-';
    size_t before = write_sign(minus, sign, text);
    memcpy(text + before, amount + minus, length - minus);
    before += length - minus;
    memcpy(text + before, "/h", sizeof "/h");
    return before + sizeof "/h" - 1;
}

size_t money_dollars(double value, bool sign, char text[MONEY_TEXT])
{
    double cents = round(fabs(value) * 100);
    size_t length = write_sign(cents >= 1 && value < 0, sign, text);
    if (!(cents < 1e15))
        return length +
               write_rounded(text + length, MONEY_TEXT - length, "%.3g", fabs(value)); /* not exact to the cent */
    return length + write_units((uint64_t)cents, 2, text + length);
}

double money_without_noise(double value)
{
    if (!(fabs(value) < 1e6)) return value;
    double rounded = floor(value * 1e9 + 0.5) / 1e9;
    return fabs(value - rounded) <= 1e-13 * (fabs(value) > 1 ? fabs(value) : 1) ? rounded : value;
}
