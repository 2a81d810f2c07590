"""Text tables as agency systems write them, made byte by byte."""
from corpus import AGENCY, KEYED, NAMES, ORDERS, REQUIRED, TITLES, at, expect, path, sure, table

MADE = 'by hand (scripts/corpus/by_hand_csv.py)'
WESTERN = ['Vega', 'Okafor', "O'Brien"]


def quote(value, separator=','):
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in [separator, '"', '\n', '\r']) else text


def lines(rows, separator=',', end='\r\n'):
    return ''.join(separator.join(quote(value, separator) for value in row) + end for row in rows)


def changed(rows, fields, **cells):
    """`row_field=value`: `r2_city='Tampa'`."""
    rows = [list(row) for row in rows]
    for place, value in cells.items():
        row, field = place.split('_')
        rows[int(row[1:]) - 1][fields.index(field)] = value
    return rows


def write(name, text, encoding='utf8', **expected):
    path(name).write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    expect(name, made=MADE, **expected)


plain = table(WESTERN, KEYED, typed=False)
western = lines(plain, ';')
write('csv-semicolon-1252.csv', western, 'cp1252', what='semicolons, Windows-1252', fields=KEYED, notes=['windows-1252', 'separated by ";"'], rows=sure(WESTERN, sheet=None))
write('csv-utf16le.csv', '\ufeff' + lines(table(typed=False), '\t'), 'utf-16-le', what='UTF-16 with its mark', notes=['UTF-16'], rows=sure(sheet=None))
write('csv-utf16le-no-mark.csv', lines(plain), 'utf-16-le', what='UTF-16 without its mark', fields=KEYED, notes=['UTF-16'], rows=sure(WESTERN, sheet=None))
write('csv-utf16be.csv', '\ufeff' + lines(plain, ';'), 'utf-16-be', what='UTF-16 the other way round', fields=KEYED, notes=['UTF-16'], rows=sure(WESTERN, sheet=None))
write('csv-utf16be-no-mark.csv', lines(plain), 'utf-16-be', what='UTF-16 the other way round, without its mark', fields=KEYED, notes=['UTF-16'], rows=sure(WESTERN, sheet=None))
write('csv-pipes.txt', lines(table(typed=False, headers=AGENCY), '|', '\n'), what='pipes, as old systems export', notes=['separated by "|"'], rows=sure(sheet=None))
write('csv-lone-returns.csv', lines(plain, end='\r'), what='lines that end in carriage returns, as on old Macs', fields=KEYED, rows=sure(WESTERN, sheet=None))
write('csv-no-last-line-end.csv', lines(plain).rstrip(), what='the last line does not end', fields=KEYED, rows=sure(WESTERN, sheet=None))
write('csv-sep-line.csv', 'sep=|\r\n' + lines(plain, '|'), what='a first line that names the separator', fields=KEYED, rows=sure(WESTERN, sheet=None))
write('csv-mixed-line-ends.csv', lines(plain[:2], end='\n') + lines(plain[2:]), what='line ends of two kinds', fields=KEYED, rows=sure(WESTERN, sheet=None))
write('csv-nulls.csv', lines(plain).replace('Tampa', 'Tam\0pa').replace('Okafor', 'Okafor\0\0'), what='NUL characters inside cells', fields=KEYED, notes=['NUL'], rows=[
    {'at': '2', 'is': 'Vega', 'repairs': {'city': 'Tam\u2400pa -> Tampa'}}, {'at': '3', 'is': 'Okafor', 'repairs': {'insuredName': 'Chidi Okafor\u2400\u2400 -> Chidi Okafor'}}, {'at': '4', 'is': "O'Brien"}])
write('csv-dos-end-mark.csv', lines(plain).encode() + b'\x1a', what="the end-of-file mark of old DOS programs", fields=KEYED, rows=sure(WESTERN, sheet=None))
write('csv-trailing-separators.csv', lines([[*row, '', '', ''] for row in plain] + [[''] * 14] * 3), what='separators at the end of each line, and lines of separators', fields=KEYED, rows=sure(WESTERN, sheet=None))
write('csv-spaces-around.csv', ''.join(', '.join(f'"{value}"'.replace('"SO"', '""SO""') if i % 2 else str(value) if ',' not in str(value) else f'"{value}"' for i, value in enumerate(row)) + '\r\n' for row in changed(plain, KEYED)[:2]),
      what='a space after each comma', fields=KEYED, rows=sure(['Vega'], sheet=None))
write('csv-text-trick.csv', '\r\n'.join(','.join(f'="{value}"' if field in ('policyNumber', 'zipcode') and row else quote(value) for field, value in zip(KEYED, values)) for row, values in enumerate(plain)) + '\r\n',
      what='="02139", by which systems keep zeros from Excel', fields=KEYED,
      rows=[{**row, 'repairs': {field: f'="{ORDERS[row["is"]][field]}" -> {ORDERS[row["is"]][field]}' for field in ('policyNumber', 'zipcode')}} for row in sure(WESTERN, sheet=None)])

fields = ['note', *KEYED]
broken = changed(table(['Vega', 'Okafor'], fields, typed=False), fields, r2_note='Gate code 4410;\r\ntwo "friendly" dogs,\nno cats', r3_streetAddress='9 Ware St\nApt 4')
write('csv-breaks-in-cells.csv', lines(broken), what='line breaks, commas and quotation marks inside cells', fields=fields, rows=[
    {'at': '2', 'is': 'Vega', 'with': {'note': 'Gate code 4410;\r\ntwo "friendly" dogs,\nno cats'}},
    {'at': '3', 'is': 'Okafor', 'with': {'streetAddress': '9 Ware St Apt 4'}, 'repairs': {'streetAddress': '9 Ware St\nApt 4 -> 9 Ware St Apt 4'}},
])
fields = [*KEYED, 'note']
ragged = table(['Vega', 'Okafor', 'Novak'], fields, typed=False)
write('csv-ragged.csv', lines([ragged[0], ragged[1], ragged[2][:-1], ragged[3][:6], [*table(['Chen'], fields, typed=False)[1], 'extra', 'cells']]), what='lines of different lengths: one too short, one too long', fields=fields, rows=[
    {'at': '2', 'is': 'Vega'}, {'at': '3', 'is': 'Okafor'},
    {'at': '4', 'problems': ['required-empty in G4', 'required-empty in H4', 'required-empty in I4', 'required-empty in J4', 'required-empty in K4']},
    {'at': '5', 'problems': ['more-values-than-headers in M5']},
])

titled = [['Acme Agency'], ['Report: INSP-ORD', '', 'Run date 10/14/2026'], [], *table(WESTERN, KEYED, AGENCY, typed=False), [], ['Total: 3'], ['Records:', '3']]
write('csv-report.csv', lines(titled), what='a report with a title above, a total and a count of records below: the count might be an order', fields=KEYED, notes=['header is row 4', 'row 9 is a total'], rows=[
    *sure(WESTERN, 5, None), {'at': '10', 'problems': ['row-hardly-filled in A10']},
])
pages = table(WESTERN, KEYED, AGENCY, typed=False)
write('csv-header-on-each-page.csv', lines([pages[0], pages[1], pages[0], pages[2], pages[0], pages[3]]), what='the header again at the top of each page', fields=KEYED, notes=['rows 3 and 5 repeat the header'],
      rows=[{'at': '2', 'is': 'Vega'}, {'at': '4', 'is': 'Okafor'}, {'at': '6', 'is': "O'Brien"}])
write('csv-second-table.csv', lines([*table(['Vega'], KEYED, typed=False), [], *table(['Okafor'], list(reversed(KEYED)), typed=False)]), what='a second table below the first, with its columns in another order', fields=KEYED,
      rows=[{'at': '2', 'is': 'Vega'}, {'at': '4', 'problems': ['second-table']}, {'at': '5', 'problems': ['second-table']}])
other = table(['Okafor'], KEYED, typed=False)
write('csv-second-table-of-others.csv', lines([*table(['Vega'], KEYED, typed=False), [], ['Stories', *other[0]], ['2', *other[1]]]), what='a second table with other columns below the first', fields=KEYED,
      rows=[{'at': '2', 'is': 'Vega'}, {'at': '4', 'problems': ['second-table']}, {'at': '5', 'problems': ['second-table']}])
legend = [['Legend:'], ['Green = rush'], ['Yellow', 'call the agent first']]
write('csv-legend-below.csv', lines([*table(['Vega'], KEYED, typed=False), [], *legend]), what='a legend of colors below the table', fields=KEYED, notes=['rows 4, 5 and 6 are not orders'], rows=[{'at': '2', 'is': 'Vega'}])
beside = [[*left, '', '', *right] for left, right in zip(table(WESTERN, KEYED, typed=False), table([*reversed(WESTERN)], KEYED, typed=False))]
write('csv-tables-side-by-side.csv', lines(beside), what='two tables side by side, two empty columns between them', fields=KEYED, notes=['SEVERAL TABLES OF ORDERS SIDE BY SIDE'], rows=[
    {'at': '2', 'problems': ['tables-side-by-side']}, {'at': '3', 'is': 'Okafor'}, {'at': '4', 'problems': ['tables-side-by-side']},
])

fields = ['policyEffectiveDate', *KEYED]


def dates(*values):
    rows = table(['Vega'], fields, typed=False)
    return lines([rows[0], *[[value, f'D-{place}', *rows[1][2:]] for place, value in enumerate(values)]])


def dated(place, held=None, sent=None, **more):
    return {'at': str(2 + place), 'is': 'Vega', 'with': {'policyNumber': f'D-{place}', 'policyEffectiveDate': sent or held}, **({'repairs': {'policyEffectiveDate': f'{held} -> {sent}'}} if sent else {}), **more}


write('csv-dates-month-first.csv', dates('11/05/2026', '12/13/2026', '1/2/27', '2026-10-30'), what='dates that one of them, 12/13, shows to be month first', fields=fields, rows=[
    dated(0, '11/05/2026', '2026-11-05'), dated(1, '12/13/2026', '2026-12-13'), dated(2, '1/2/27', '2027-01-02'), dated(3, '2026-10-30')])
write('csv-dates-day-first.csv', dates('05/11/2026', '30/10/2026', '05-12-2026', '31/10/2026', '15.11.2026'), what='dates that three of them show to be day first', fields=fields, rows=[
    dated(0, '05/11/2026', '2026-11-05'), dated(1, '30/10/2026', '2026-10-30'), dated(2, '05-12-2026', '2026-12-05'), dated(3, '31/10/2026', '2026-10-31'), dated(4, '15.11.2026', '2026-11-15')])
write('csv-dates-too-few-tell.csv', dates('05/11/2026', '30/10/2026', '05-12-2026'), what='dates of which one alone shows to be day first: too few to decide the others', fields=fields, rows=[
    {'at': '2', 'problems': ['date-ambiguous in A2']}, dated(1, '30/10/2026', '2026-10-30'), {'at': '4', 'problems': ['date-ambiguous in A4']}])
write('csv-dates-unclear.csv', dates('05/11/2026', '11/12/2026', '11/11/2026'), what='dates that could be two dates each, but for one, in an American list: month first, as a note tells', fields=fields, notes=['2 ambiguous dates were read month first'], rows=[
    dated(0, '05/11/2026', '2026-05-11'), dated(1, '11/12/2026', '2026-11-12'), dated(2, '11/11/2026', '2026-11-11')])
write('csv-dates-contradict.csv', dates('05/11/2026', '30/10/2026', '10/30/2026'), what='dates of both manners in one column', fields=fields, rows=[
    {'at': '2', 'problems': ['date-ambiguous in A2']}, dated(1, '30/10/2026', '2026-10-30'), dated(2, '10/30/2026', '2026-10-30')])
write('csv-dates-wrong.csv', dates('02/30/2026', '2026-13-01', 'next week', '0000-00-00', '10/2026', '2019-11-01', 'Oct 5th, 2026', '31.10.2026'), what='days that no calendar has, words, a year long ago, month names, dots', fields=fields, rows=[
    {'at': '2', 'problems': ['date-no-such-day in A2']}, {'at': '3', 'problems': ['date-no-such-day in A3']}, {'at': '4', 'problems': ['date-format in A4']}, {'at': '5', 'problems': ['date-no-such-day in A5']}, {'at': '6', 'problems': ['date-format in A6']},
    dated(5, '2019-11-01', warnings=['effective-date-far']), dated(6, 'Oct 5th, 2026', '2026-10-05'), dated(7, '31.10.2026', '2026-10-31')])

rows = table(['Vega'], ['inspectionNumber', *KEYED], typed=False)
write('csv-ids.csv', lines([rows[0], *[[number, *rows[1][1:]] for number in ['1.23457E+17', '00012', 'TBD', ' INS-9 ', '123456789012345678']]]), what='a number in scientific form, a placeholder, a long number that is text and therefore whole', fields=['inspectionNumber', *KEYED], rows=[
    {'at': '2', 'problems': ['id-lost-digits in A2']}, {'at': '3', 'is': 'Vega', 'with': {'inspectionNumber': '00012'}}, {'at': '4', 'is': 'Vega', 'with': {'inspectionNumber': None}, 'repairs': {'inspectionNumber': 'TBD -> '}, 'warnings': ['value-not-known']},
    {'at': '5', 'is': 'Vega', 'with': {'inspectionNumber': 'INS-9'}, 'repairs': {'inspectionNumber': ' INS-9  -> INS-9'}}, {'at': '6', 'is': 'Vega', 'with': {'inspectionNumber': '123456789012345678'}}])
write('csv-zips.csv', lines(changed(table(['Okafor', 'Vega', "O'Brien", 'Novak', 'Chen'], KEYED, typed=False), KEYED, r2_zipcode='2139', r3_zipcode='3609', r4_zipcode='875012204', r5_zipcode='85041-', r6_zipcode='9513l')),
      what='ZIP codes without their zero, with nine digits, with a letter l for a one', fields=KEYED, rows=[
    {'at': '2', 'is': 'Okafor', 'repairs': {'zipcode': '2139 -> 02139'}}, {'at': '3', 'problems': ['zipcode-lost-zero in H3']}, {'at': '4', 'is': "O'Brien", 'repairs': {'zipcode': '875012204 -> 87501-2204'}},
    {'at': '5', 'is': 'Novak', 'repairs': {'zipcode': '85041- -> 85041'}}, {'at': '6', 'problems': ['zipcode-format in H6']}])
write('csv-error-texts.csv', lines(changed(table(['Vega', 'Okafor', 'Chen', 'Novak'], KEYED, typed=False), KEYED, r2_city='#N/A', r3_insuredName='#REF!', r4_policyNumber='#VALUE!', r4_insuredPhone='Err:502')),
      what='error cells, which a CSV holds as their texts', fields=KEYED, rows=[
    {'at': '2', 'problems': ['cell-error in F2']}, {'at': '3', 'problems': ['cell-error in I3']}, {'at': '4', 'problems': ['cell-error in A4', 'cell-error in J4']}, {'at': '5', 'is': 'Novak'}])
write('csv-warnings.csv', lines(changed(table(['Vega', 'Novak'], ['dueDate', 'yearBuilt', *KEYED], typed=False), ['dueDate', 'yearBuilt', *KEYED], r2_dueDate='2026-10-01', r2_yearBuilt='2031', r3_insuredEmail='jan@example.com; jo@example.com', r3_zipcode='33609', r3_insuredPhone='602-555-01999')),
      what='what looks odd but stops no row', fields=['dueDate', 'yearBuilt', *KEYED], rows=[
    {'at': '2', 'is': 'Vega', 'with': {'dueDate': '2026-10-01', 'yearBuilt': 2031}, 'warnings': ['due-date-past', 'year-built-future']},
    {'at': '3', 'is': 'Novak', 'with': {'insuredEmail': 'jan@example.com; jo@example.com', 'zipcode': '33609', 'insuredPhone': '602-555-01999'}, 'warnings': ['zipcode-not-in-state', 'phone-digits', 'email-form']}])
write('csv-allow-duplicate.csv', lines([[*plain[0], 'Order anyway'], [*plain[1], 'Yes'], [*plain[2], ''], [*plain[3], 'no']]), what="a row's own wish to be ordered twice", fields=KEYED, rows=[
    {'at': '2', 'is': 'Vega', 'allowDuplication': True}, {'at': '3', 'is': 'Okafor'}, {'at': '4', 'is': "O'Brien", 'allowDuplication': False}])
write('csv-nothing-words.csv', lines(changed(table(['Vega'], ['yearBuilt', 'dwellingCoverage', 'note', *KEYED], typed=False), ['yearBuilt', 'dwellingCoverage', 'note', *KEYED], r2_yearBuilt='n/a', r2_dwellingCoverage='-', r2_note='None')),
      what='words for nothing, also in a note', fields=['yearBuilt', 'dwellingCoverage', 'note', *KEYED], rows=[
    {'at': '2', 'is': 'Vega', 'with': {'yearBuilt': None, 'dwellingCoverage': None, 'note': None}, 'repairs': {'yearBuilt': 'n/a -> ', 'dwellingCoverage': '- -> ', 'note': 'None -> '}}])
write('csv-header-only.csv', lines(plain[:1]), what='a header and nothing below it', rows=[])
write('csv-damaged-encoding.csv', lines(plain).replace('Peñasco', 'Pe\ufffdasco'), what='a letter that was lost before the file was sent', fields=KEYED, rows=[
    *sure(['Vega', 'Okafor'], sheet=None), {'at': '4', 'is': "O'Brien", 'with': {'streetAddress': '45 Camino Pe\ufffdasco #3'}, 'warnings': ['text-damaged']}])
write('csv-one-stray-byte.csv', lines(plain).encode().replace('ñ'.encode(), b'\xf1'), what='one letter in Windows-1252 among UTF-8', fields=KEYED, notes=['not UTF-8'], rows=[
    *sure(['Vega', 'Okafor'], sheet=None), {'at': '4', 'is': "O'Brien", 'warnings': ['letters-doubtful']}])
write('csv-read-wrongly-before.csv', lines(plain).encode().decode('cp1252', 'replace').replace('\ufffd', ''), what='UTF-8 that a program took for Windows-1252 and saved so: the letters are right no more, and that is said', fields=KEYED, rows=[
    *sure(['Vega', 'Okafor'], sheet=None),
    {'at': '4', 'is': "O'Brien", 'with': {'insuredName': 'SiobhÃ¡n O\'Brien & SÃ¶hne "SO" Ltd', 'streetAddress': '45 Camino PeÃ±asco #3'}, 'warnings': ['text-damaged', 'text-damaged']}])
write('csv-named-xlsx.xlsx', lines(plain), what='a CSV under the name of a workbook', fields=KEYED, notes=['although its name ends in .xlsx'], rows=[
    {**row, 'at': row['at']} for row in sure(WESTERN, sheet=None)])
