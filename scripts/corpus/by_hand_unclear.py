"""Text tables with columns that can be read two ways, and with rows that a clerk would ask about."""
from by_hand_csv import changed, lines
from corpus import KEYED, ORDERS, TITLES, expect, path, table

MADE = 'by hand (scripts/corpus/by_hand_unclear.py)'
VEGA = dict(ORDERS['Vega'])


def write(name, text, encoding='utf8', **expected):
    path(name).write_bytes(text.encode(encoding))
    expect(name, made=MADE, **expected)


def column(field, *values, header=None, more=()):
    """A row of Vega's for each value, told apart by their policy numbers; `more` columns are (header, value)."""
    fields = [field, *[one for one in KEYED if one != field]]
    first = [header or TITLES[field], *[TITLES[one] for one in fields[1:]], *[title for title, _ in more]]
    rows = [[value, *[f'N-{place}' if one == 'policyNumber' else VEGA[one] for one in fields[1:]], *[held for _, held in more]] for place, value in enumerate(values)]
    return lines([first, *rows]), fields


def sent(place, field, held, value, **more):
    """A row that is sent, with a repair where it is not as it stands."""
    repairs = {} if str(value) == held else {'repairs': {field: f'{held} -> {"" if value is None else value}'}}
    return {'at': str(2 + place), 'is': 'Vega', 'with': {'policyNumber': f'N-{place}', field: value}, **repairs, **more}


def back(place, rule, cell=None):
    return {'at': str(2 + place), 'problems': [f'{rule} in {cell or "A"}{2 + place}']}


def iso(text, first='month'):
    one, two, year = text.replace('-', '/').split('/')
    month, day = (one, two) if first == 'month' else (two, one)
    return f'{year}-{month.zfill(2)}-{day.zfill(2)}'


EFFECTIVE = 'policyEffectiveDate'


def dates(name, what, values, rows, header=None, more=(), notes=()):
    text, fields = column(EFFECTIVE, *values, header=header, more=more)
    write(name, text, what=what, fields=fields, notes=list(notes), rows=rows)


held = [f'12/0{1 + place % 9}/2026' for place in range(29)]
dates('dates-one-mistyped.csv', 'twenty-nine dates of early December and one 13/12: the odd one goes back alone', [*held, '13/12/2026'],
      [*[sent(place, EFFECTIVE, text, iso(text), warnings=['date-order-contradicted']) for place, text in enumerate(held)], back(29, 'date-against-column')], notes=['read month first, as is usual'])
held = ['11/15/2026', '11/16/2026', '11/17/2026', '11/18/2026', '11/19/2026', '11/20/2026', '11/21/2026', '11/22/2026', '11/23/2026', '12/01/2026']
dates('dates-month-first-and-one-against.csv', 'nine dates that are surely American, one that could be either, one against them', [*held, '24/11/2026'],
      [*[sent(place, EFFECTIVE, text, iso(text)) for place, text in enumerate(held)], back(10, 'date-against-column')])
held = ['15/11/2026', '16/11/2026', '17/11/2026', '01/12/2026']
dates('dates-day-first-by-three.csv', 'three dates that are surely day first decide the fourth', held, [sent(place, EFFECTIVE, text, iso(text, 'day')) for place, text in enumerate(held)])
dates('dates-two-of-each.csv', 'two dates of either manner: those that could be both go back', ['15/11/2026', '16/11/2026', '11/17/2026', '11/18/2026', '12/01/2026'],
      [sent(0, EFFECTIVE, '15/11/2026', '2026-11-15'), sent(1, EFFECTIVE, '16/11/2026', '2026-11-16'), sent(2, EFFECTIVE, '11/17/2026', '2026-11-17'), sent(3, EFFECTIVE, '11/18/2026', '2026-11-18'), back(4, 'date-ambiguous')])
dates('dates-header-says.csv', 'the header says that the day stands first', ['01/12/2026', '02/12/2026'],
      [sent(0, EFFECTIVE, '01/12/2026', '2026-12-01'), sent(1, EFFECTIVE, '02/12/2026', '2026-12-02')], header='Effective date (DD/MM/YYYY)')
dates('dates-in-many-spellings.csv', 'days of the week, blanks around strokes, digits alone, a lost zero', ['Thu 11/5/2026', '11 / 15 / 2026', '11162026', '11052026', 'Tue 11/5/2026', '1112026'],
      [sent(0, EFFECTIVE, 'Thu 11/5/2026', '2026-11-05'), sent(1, EFFECTIVE, '11 / 15 / 2026', '2026-11-15'), sent(2, EFFECTIVE, '11162026', '2026-11-16'), sent(3, EFFECTIVE, '11052026', '2026-11-05'), back(4, 'date-weekday'), back(5, 'date-format')])
dates('dates-with-dots-alone.csv', 'dates with dots, as nobody writes them in the United States, and nothing that tells', ['01.12.2026', '02.12.2026'], [back(0, 'date-ambiguous'), back(1, 'date-ambiguous')])
dates('dates-beside-european-amounts.csv', 'dates that could be either, in a list whose amounts are European', ['01/12/2026'] * 3, [back(place, 'date-ambiguous') for place in range(3)], more=[('Cov B', '1.250.000,00')])


def amounts(name, what, values, rows, field='dwellingCoverage'):
    text, fields = column(field, *values)
    write(name, text, what=what, fields=fields, rows=rows)


COV = 'dwellingCoverage'
held = [f'{200 + place},000' for place in range(20)]
amounts('amounts-one-european.csv', 'one 350.000,00 among twenty 250,000: it can be nothing else, and is read', [*held, '350.000,00'],
        [*[sent(place, COV, text, int(text.replace(',', ''))) for place, text in enumerate(held)], sent(20, COV, '350.000,00', 350000)])
held = [f'${200 + place},000' for place in range(20)]
amounts('amounts-one-digit-short.csv', 'one $250,00 among twenty $250,000: a digit is missing, and it goes back alone', ['$250,00', *held],
        [back(0, 'amount-ambiguous'), *[sent(1 + place, COV, text, int(text[1:].replace(',', ''))) for place, text in enumerate(held)]])
amounts('amounts-european.csv', 'amounts with a decimal comma: 250.000 could be either, and goes back', ['250.000', '325.000,00', '98.500,00', '1.250.000'],
        [back(0, 'amount-ambiguous'), sent(1, COV, '325.000,00', 325000), sent(2, COV, '98.500,00', 98500), sent(3, COV, '1.250.000', 1250000)])
amounts('amounts-of-both-kinds.csv', 'amounts of both kinds: what could be either goes back', ['250.000', '325.000,00', '98.500,00', '325,000.00', '98,500.00'],
        [back(0, 'amount-ambiguous'), sent(1, COV, '325.000,00', 325000), sent(2, COV, '98.500,00', 98500), sent(3, COV, '325,000.00', 325000), sent(4, COV, '98,500.00', 98500)])
amounts('amounts-in-words.csv', 'millions, thousands, and the dash of accounting', ['$1.2M', '1.2 mil', '350k', '$-', '$ -   ', '350M', '$1,250'],
        [sent(0, 'contentCoverage', '$1.2M', 1200000), sent(1, 'contentCoverage', '1.2 mil', 1200000), sent(2, 'contentCoverage', '350k', 350000), sent(3, 'contentCoverage', '$-', None), sent(4, 'contentCoverage', '$ -   ', None),
         sent(5, 'contentCoverage', '350M', None, warnings=['amount-ambiguous']), sent(6, 'contentCoverage', '$1,250', 1250)], field='contentCoverage')

NAMES = [('José Peña', '12 Camino Señor'), ('Jesús Muñoz', '45 Calle Núñez'), ('Eva Müller', '9 Rue Hélène'), ('Pat O’Brien', '7 Smith’s Lane')]


def lettered(names, end):
    rows = table(['Vega'], KEYED, typed=False)
    people = [changed(rows, KEYED, r2_insuredName=name, r2_streetAddress=street, r2_policyNumber=f'N-{place}')[1] for place, (name, street) in enumerate(names)]
    return lines([rows[0], *people], end=end), [{'at': str(2 + place), 'is': 'Vega', 'with': {'policyNumber': f'N-{place}', 'insuredName': name, 'streetAddress': street}} for place, (name, street) in enumerate(names)]


text, rows = lettered(NAMES, '\r')
write('letters-mac-roman.csv', text, 'mac_roman', what='Mac Roman, as Excel for the Mac saved CSV for decades', fields=KEYED, notes=['read as Mac Roman'], rows=rows)
text, rows = lettered(NAMES, '\n')
write('letters-mac-roman-line-feeds.csv', text, 'mac_roman', what='Mac Roman with the line ends of today', fields=KEYED, notes=['read as Mac Roman'], rows=rows)
text, rows = lettered(NAMES, '\r\n')
write('letters-windows-1252.csv', text, 'cp1252', what='the same names in windows-1252', fields=KEYED, notes=['read as windows-1252'], rows=rows)
text, rows = lettered([('José Peña', '12 Oak St'), ('Dana Hill', '9 Elm St')], '\r\n')
write('letters-dos.csv', text, 'cp850', what='letters of old DOS programs, which nobody can be sure of', fields=KEYED, notes=['fit neither'], rows=[{'at': '2', 'problems': ['letters-unknown in I2']}, rows[1]])


STREETS = ['Same as mailing', 'various', 'See notes', 'Multiple locations - see SOV', '12', 'PO Box 12', 'Oak Ridge Ln', 'One Beacon Street', 'RR 2 Box 12']
text, fields = column('streetAddress', *STREETS)
write('streets-that-are-none.csv', text, what='streets that say where to look, a bare number, a post office box', fields=fields, rows=[
    *[back(place, 'value-elsewhere') for place in range(4)], back(4, 'street-number-only'), back(5, 'street-po-box'),
    sent(6, 'streetAddress', STREETS[6], STREETS[6], warnings=['street-without-number']), sent(7, 'streetAddress', STREETS[7], STREETS[7]), sent(8, 'streetAddress', STREETS[8], STREETS[8])])

fields = ['policyNumber', *[one for one in KEYED if one != 'policyNumber']]
rows = table(['Vega'], fields, typed=False)
write('numbers-that-became-dates.csv', lines([rows[0], *[[number, *rows[1][1:]] for number in ['5-Mar', 'Mar-05', '3/5/2026', 'MAR-512', '1-2-3']]]), what='policy numbers of which a spreadsheet made dates, and two that only look so', fields=fields, rows=[
    *[{'at': str(2 + place), 'problems': [f'id-became-date in A{2 + place}']} for place in range(3)], {'at': '5', 'is': 'Vega', 'with': {'policyNumber': 'MAR-512'}}, {'at': '6', 'is': 'Vega', 'with': {'policyNumber': '1-2-3'}}])
rows = table(['Vega'], KEYED, typed=False)
STATUSES = ['Active', 'CANCELLED', 'void - see new row', 'Do not order', 'Already ordered', '']
write('rows-taken-back.csv', lines([[*rows[0], 'Status'], *[[*changed(rows, KEYED, r2_policyNumber=f'N-{place}')[1], status] for place, status in enumerate(STATUSES)]]), what='a status column that takes rows back', fields=KEYED, rows=[
    {'at': '2', 'is': 'Vega', 'with': {'policyNumber': 'N-0'}}, *[{'at': str(3 + place), 'problems': [f'row-withdrawn in L{3 + place}']} for place in range(4)],
    {'at': '7', 'is': 'Vega', 'with': {'policyNumber': 'N-5'}}])
write('lines-that-are-no-orders.csv', lines([rows[0], ['COMMERCIAL'], rows[1], ['', 'Please call with any questions']]), what='the title of a group and a footer, which are left out', fields=KEYED, notes=['rows 2 and 4 are not orders', '"COMMERCIAL", "Please call with any questions"'], rows=[
    {'at': '3', 'is': 'Vega'}])
FOOTERS = [['(2 rows affected)'], ['Week of Nov 23'], ['', '', '', '', '', '', '', '', 'Printed on 11/23/2026 8:02 AM'], ['This report contains confidential information.'], ['End of report'], ['Page 1 of 1']]
write('footers.csv', lines([rows[0], rows[1], ['HO-0048214'], ['', '', '', '', '', '', '', '', 'Ruth Bader'], *FOOTERS]), what='lines below the rows that are no value of any order, and two that may be an order', fields=KEYED, notes=['rows 5, 6, 7, 8, 9 and 10 are not orders', '"(2 rows affected)"'], rows=[
    {'at': '2', 'is': 'Vega'}, {'at': '3', 'problems': ['row-hardly-filled in A3']}, {'at': '4', 'problems': ['row-hardly-filled in I4']}])
SAYING = ['Order Inspection?', 'DNO', 'Transaction Type', 'Cancellation Date', 'Status']
SAID = [('', '', 'Renewal', '', 'Reinstated'), ('N', '', '', '', ''), ('Y', 'X', '', '', ''), ('', '', 'Cancel', '', ''), ('', '', '', '11/03/2026', ''), ('', '', '', '', 'Flat Cancel'), ('Y', 'N', 'New Business', 'N/A', 'Active')]
people = [changed(rows, KEYED, r2_policyNumber=f'N-{place}')[1] for place in range(10)]
named = [changed(rows, KEYED, r2_policyNumber='N-7', r2_insuredName='*** CANCELLED *** Ruth Bader')[1], changed(rows, KEYED, r2_policyNumber='N-8', r2_streetAddress='12 Void Creek Rd')[1]]
write('not-this-one.csv', lines([[*rows[0], *SAYING], *[[*people[place], *said] for place, said in enumerate(SAID)], *[[*row, *['' for _ in SAYING]] for row in named]]), what='flag columns, kinds of transactions, a date of cancellation, a mark before a name: all say not to order', fields=[*KEYED, 'isRenewal'], rows=[
    {'at': '2', 'is': 'Vega', 'with': {'policyNumber': 'N-0', 'isRenewal': True}, 'repairs': {'isRenewal': 'Renewal -> Yes'}}, *[{'at': str(3 + place), 'problems': [f'row-withdrawn in {cell}{3 + place}']} for place, cell in enumerate('LMNOP')],
    {'at': '8', 'is': 'Vega', 'with': {'policyNumber': 'N-6', 'isRenewal': False}, 'repairs': {'isRenewal': 'New Business -> No'}}, {'at': '9', 'problems': ['row-withdrawn in I9']}, {'at': '10', 'is': 'Vega', 'with': {'policyNumber': 'N-8', 'streetAddress': '12 Void Creek Rd', 'isRenewal': None}}])
write('under-a-title.csv', lines([rows[0], people[0], ['CANCELLED - DO NOT ORDER'], people[1], people[2], ['RENEWALS'], people[3]]), what='rows under the title of a section that says not to order them', fields=KEYED, notes=['rows 3 and 6 are not orders'], rows=[
    {'at': '2', 'is': 'Vega', 'with': {'policyNumber': 'N-0'}}, {'at': '4', 'problems': ['row-withdrawn']}, {'at': '5', 'problems': ['row-withdrawn']}, {'at': '7', 'is': 'Vega', 'with': {'policyNumber': 'N-3'}}])
write('signs-of-web-pages.csv', lines([rows[0], changed(rows, KEYED, r2_insuredName='Smith &amp; Sons', r2_insuredEmail='Maria <maria@x.com>')[1]]), what='a name in the manner of web pages, and a name before an e-mail address', fields=KEYED, rows=[
    {'at': '2', 'is': 'Vega', 'with': {'insuredName': 'Smith & Sons', 'insuredEmail': 'maria@x.com'}, 'repairs': {'insuredName': 'Smith &amp; Sons -> Smith & Sons', 'insuredEmail': 'Maria <maria@x.com> -> maria@x.com'}}])
amounts('amounts-of-nothing.csv', 'zeros as an insured value, which stand for no value', ['$0', '00000', '0', '$1'],
        [sent(0, COV, '$0', None, warnings=['amount-zero']), sent(1, COV, '00000', None, warnings=['amount-zero']), sent(2, COV, '0', None, warnings=['amount-zero']), sent(3, COV, '$1', 1, warnings=['amount-unusual'])])
write('services-two-in-a-cell.csv', lines([rows[0], changed(rows, KEYED, r2_serviceName='4-Point / Roof Only')[1]]), what='two services in one cell', fields=KEYED, rows=[{'at': '2', 'problems': ['value-not-listed in B2']}])
NOTED = ['note', *KEYED]
rows = changed(table(['Vega'], NOTED, typed=False), NOTED, r2_note='Gate code 4410;\ntwo dogs.\n\nCall\tfirst')
write('notes-in-lines.csv', lines(rows), what='a note of several lines is sent as it stands', fields=NOTED, rows=[{'at': '2', 'is': 'Vega', 'with': {'note': 'Gate code 4410;\ntwo dogs.\n\nCall\tfirst'}}])


def optional(name, what, field, *held):
    """`held`: the cell, what is sent of it, and the rule that warns."""
    text, fields = column(field, *[cell for cell, _, _ in held])
    write(name, text, what=what, fields=fields, rows=[sent(place, field, cell, value, **({} if rule is None else {'warnings': [rule]})) for place, (cell, value, rule) in enumerate(held)])


YEAR = 'year-four-digits'
optional('optional-year-built.csv', 'years that are clear, and ones that cost the cell', 'yearBuilt', ('1,987', 1987, None), ('1/1/1987', 1987, None), ('about 1987', None, YEAR), ('87', None, YEAR))
optional('optional-living-area.csv', 'living areas that are clear, and ones that cost the cell', 'carrierProvidedLivingArea', ('2,400 SF (heated)', 2400, None), ('2,400 SF incl. garage', None, 'amount-format'), ('250 m2', None, 'amount-format'))
text, fields = column('isRenewal', '☑', '☐', '✓', 'maybe')
write('optional-ticked-boxes.csv', text, what='boxes that are ticked or not', fields=fields, rows=[
    *[{'at': str(2 + place), 'is': 'Vega', 'with': {'policyNumber': f'N-{place}', 'isRenewal': said}, 'repairs': {'isRenewal': f'{held} -> {"Yes" if said else "No"}'}} for place, (held, said) in enumerate([('☑', True), ('☐', False), ('✓', True)])],
    sent(3, 'isRenewal', 'maybe', None, warnings=['not-yes-or-no'])])
