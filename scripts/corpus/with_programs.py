"""Files saved by LibreOffice, Gnumeric and Perl: opened from files of the corpus and from sources made here, and saved again."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from corpus import AGENCY, EXPECTED, FIELDS, FILES, KEYED, NAMES, ORDERS, TITLES, at, expect, path, sure, table

HERE = '(scripts/corpus/with_programs.py)'
SCRATCH = pathlib.Path(tempfile.mkdtemp())


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0]


OFFICE = 'LibreOffice ' + re.search(r'[\d.]+', first_line('soffice', '--version')).group()
GNUMERIC = 'Gnumeric ' + re.search(r"[\d.]+\d", first_line('ssconvert', '--version')).group()


def office(source, name, form, read_as=None):
    """Opens a file in LibreOffice and saves it. `form`: extension, filter and its options."""
    out = SCRATCH / 'out'
    shutil.rmtree(out, ignore_errors=True)
    command = ['soffice', f'-env:UserInstallation=file://{SCRATCH}/profile', '--headless', *([f'--infilter={read_as}'] if read_as else []), '--convert-to', form, '--outdir', str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    shutil.move(next(out.iterdir()), path(name))


def gnumeric(source, name, form, *options):
    subprocess.run(['ssconvert', f'--export-type={form}', *options, str(source), str(path(name))], check=True, capture_output=True)


def source(name, text, encoding='utf8'):
    made = SCRATCH / name
    made.write_bytes(text.encode(encoding))
    return made


def csv(rows, separator=','):
    return ''.join(separator.join('"' + str(value).replace('"', '""') + '"' for value in row) + '\r\n' for row in rows)


# A CSV opened in LibreOffice as a person does: zeros in front are lost, dates become dates.
opened = source('agency export.csv', csv(table(typed=False)).replace('"02139"', '02139').replace('"00712345"', '00712345').replace('"2026-12-13"', '12/13/2026'))
office(opened, 'libreoffice-from-csv.xlsx', 'xlsx:Calc MS Excel 2007 XML', read_as='CSV:44,34,76,1,,1033,false,true')
expect('libreoffice-from-csv.xlsx', what='a CSV that was opened and saved as a workbook: the zeros in front are gone', made=f'{OFFICE} {HERE}', rows=[
    *({'at': at(2 + place, 'agency export'), 'is': name, **({'with': {'policyNumber': '712345'}, 'repairs': {'zipcode': '2139 -> 02139'}} if name == 'Okafor' else {})} for place, name in enumerate(NAMES)),
])

FODS = '''<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles><number:date-style style:name="N"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style><style:style style:name="D" style:family="table-cell" style:data-style-name="N"/><style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles>
<office:body><office:spreadsheet><table:table table:name="Orders">ROWS</table:table></office:spreadsheet></office:body></office:document>'''


def markup(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;')


def fods_cell(field, value):
    if value is None or value == '':
        return '<table:table-cell/>'
    if field == 'insuredEmail' and '@' in value:
        return f'<table:table-cell office:value-type="string"><text:p><text:a xlink:href="mailto:{value}">{value}</text:a></text:p></table:table-cell>'
    if field == 'insuredName' and ' ' in value:
        first, rest = markup(value).split(' ', 1)
        return f'<table:table-cell office:value-type="string"><text:p>{first} <text:span text:style-name="B">{rest}</text:span></text:p></table:table-cell>'
    if field == 'policyEffectiveDate' and value[:2] == '20':
        return f'<table:table-cell table:style-name="D" office:value-type="date" office:date-value="{value}"/>'
    if field == 'city' and value != 'City':
        return f'<table:table-cell table:formula="of:=PROPER(&quot;{value.lower()}&quot;)" office:value-type="string"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{markup(value)}</text:p></table:table-cell>'


def fods_row(values, fields):
    return '<table:table-row>' + ''.join(map(fods_cell, fields, values)) + '</table:table-row>'


fods = source('orders.fods', FODS.replace('ROWS', ''.join(fods_row(row, FIELDS) for row in table(typed=False))))
office(fods, 'libreoffice-from-fods.xlsx', 'xlsx:Calc MS Excel 2007 XML')
expect('libreoffice-from-fods.xlsx', what='links, bold runs, dates, and cities worked out by formulas', made=f'{OFFICE} {HERE}', rows=sure())
office(fods, 'libreoffice-open-xml.xlsx', 'xlsx:Calc Office Open XML')
expect('libreoffice-open-xml.xlsx', what='"Office Open XML Spreadsheet", the other of its two forms', made=f'{OFFICE} {HERE}', rows=sure())
office(fods, 'libreoffice-macro.xlsm', 'xlsm:Calc MS Excel 2007 VBA XML')
expect('libreoffice-macro.xlsm', what='a workbook for macros', made=f'{OFFICE} {HERE}', rows=sure())
office(fods, 'libreoffice.ods', 'ods')
expect('libreoffice.ods', what="LibreOffice's own form", made=f'{OFFICE} {HERE}', notes=['read through a converter'], rows=sure())
office(fods, 'libreoffice.xls', 'xls:MS Excel 97')
expect('libreoffice.xls', what='Excel 97-2003', made=f'{OFFICE} {HERE}', notes=['read through a converter'], rows=sure())
# Strikethrough in an .xls counts as in its .xlsx.
for before, what in [('exceljs-rows-struck-out', 'rows struck through in Excel 97-2003'), ('exceljs-struck-in-part', 'cells struck through in part in Excel 97-2003')]:
    name = f"{before.replace('exceljs', 'libreoffice')}.xls"
    office(FILES / f'{before}.xlsx', name, 'xls:MS Excel 97')
    same = json.loads((EXPECTED / f'{before}.xlsx.json').read_text('utf8'))
    expect(name, what=what, made=f'{OFFICE} {HERE}', notes=['read through a converter'], fields=same['fields'], rows=same['rows'])
# Marks that the converter loses: such a file is refused.
for before, name, form, what in [
    ('exceljs-struck-in-part', 'libreoffice-struck-in-part.ods', 'ods', "cells struck through in part in LibreOffice's own form"),
    ('openpyxl-hidden-rows', 'libreoffice-hidden-rows.ods', 'ods', "hidden rows in LibreOffice's own form"),
]:
    office(FILES / f'{before}.xlsx', name, form)
    expect(name, what=what, made=f'{OFFICE} {HERE}', unreadable='the converter loses these marks')
office(fods, 'libreoffice-web-page.xls', 'html:HTML (StarCalc)')
expect('libreoffice-web-page.xls', what='a web page under the name of an .xls', made=f'{OFFICE} {HERE}', notes=['read through a converter'], rows=sure())

narrow = ['policyNumber', 'yearBuilt', 'dwellingCoverage', *[field for field in KEYED if field != 'policyNumber']]
fods_1252 = source('western.fods', FODS.replace('ROWS', ''.join(fods_row(row, narrow) for row in table(['Vega', 'Okafor', "O'Brien"], narrow, typed=False))))
for name, form, what, notes in [
    ('libreoffice-windows-1252.csv', '59,34,1252,1,,1033,false,true,false', 'semicolons, Windows-1252', ['windows-1252', 'separated by ";"']),
    ('libreoffice-utf16.csv', '9,34,65535,1,,1033,false,true,false', 'UTF-16, tabs', ['UTF-16']),
    ('libreoffice-quote-all.csv', '44,34,76,1,,1033,true,true,false', 'every text in quotation marks', []),
    ('libreoffice-pipes.csv', '124,0,76,1,,1033,false,true,false', 'pipes', ['separated by "|"']),
]:
    office(fods_1252, name, f'csv:Text - txt - csv (StarCalc):{form}')
    expect(name, what=what, made=f'{OFFICE} {HERE}', fields=narrow, notes=notes, rows=sure(['Vega', 'Okafor', "O'Brien"], sheet=None))

# Saved again, as people do who only wanted to look.
for before, what in [('openpyxl-plain', 'openpyxl'), ('openpyxl-1904', 'openpyxl, days counted from 1904'), ('xlsxwriter-constant-memory', 'XlsxWriter'), ('sheetjs-iso-dates', 'SheetJS'), ('exceljs-stream', 'exceljs'), ('xlsxwriter-everything-else', 'XlsxWriter, with a chart and all')]:
    name = f'libreoffice-saved-{before}.xlsx'
    office(FILES / f'{before}.xlsx', name, 'xlsx:Calc MS Excel 2007 XML')
    expect(name, what=f'a workbook of {what}, saved again', made=f'{OFFICE} {HERE}', rows=sure())

office(FILES / 'openpyxl-formulas-without-values.xlsx', 'libreoffice-worked-out.xlsx', 'xlsx:Calc MS Excel 2007 XML')
expect('libreoffice-worked-out.xlsx', what='formulas without values, worked out by opening and saving: one came to a value, one to an error', made=f'{OFFICE} {HERE}', fields=KEYED, rows=[
    {'at': at(2), 'is': 'Vega'}, {'at': at(3), 'problems': ['cell-error in H3']}, {'at': at(4), 'is': 'Novak'},
])

# Gnumeric.
plain = FILES / 'xlsxwriter-plain.xlsx'
for name, form, what in [('gnumeric.xlsx', 'Gnumeric_Excel:xlsx', 'saved by Gnumeric as "ECMA 376, 1st edition"'), ('gnumeric-iso.xlsx', 'Gnumeric_Excel:xlsx2', 'saved by Gnumeric as "ISO/IEC 29500"')]:
    gnumeric(plain, name, form)
    expect(name, what=what, made=f'{GNUMERIC} {HERE}', rows=sure())
gnumeric(FILES / 'libreoffice-quote-all.csv', 'gnumeric.csv', 'Gnumeric_stf:stf_csv')
expect('gnumeric.csv', what='a CSV that was opened and saved: the zeros in front are gone', made=f'{GNUMERIC} {HERE}', fields=narrow, rows=[
    {'at': '2', 'is': 'Vega'}, {'at': '3', 'is': 'Okafor', 'with': {'policyNumber': '712345'}, 'repairs': {'zipcode': '2139 -> 02139'}}, {'at': '4', 'is': "O'Brien"},
])
gnumeric(plain, 'gnumeric.gnumeric', 'Gnumeric_XmlIO:sax')
expect('gnumeric.gnumeric', what="Gnumeric's own form, which is packed", made=f'{GNUMERIC} {HERE}', unreadable='is a packed archive')
gnumeric(plain, 'gnumeric-biff7.xls', 'Gnumeric_Excel:excel_biff7')
expect('gnumeric-biff7.xls', what='Excel 95', made=f'{GNUMERIC} {HERE}', unreadable='is an Excel 5.0 or 95 workbook (.xls)')

# Perl.
PERL = r'''
use utf8; use open qw(:std :utf8); use JSON::PP; use Excel::Writer::XLSX;
my ($file) = @ARGV; local $/; my $rows = decode_json(do { my $text = <STDIN>; utf8::encode($text); $text });
my $book = Excel::Writer::XLSX->new($file); my $sheet = $book->add_worksheet('Orders');
my $day = $book->add_format(num_format => 'd-mmm-yy');
for my $r (0..$#$rows) { for my $c (0..$#{$rows->[$r]}) { my $v = $rows->[$r][$c]; next unless defined $v;
  if ($v =~ /^\d{4}-\d\d-\d\d$/) { $sheet->write_date_time($r, $c, $v.'T', $day) } elsif ($v =~ /^\d+(\.\d+)?$/ && $v !~ /^0/ && length($v) > 5) { $sheet->write_string($r, $c, $v) } else { $sheet->write($r, $c, $v, undef) } } }
$sheet->write_formula(1, 9, '=UPPER("tampa")', undef, 'Tampa'); $book->close;
'''
import json
script = source('write.pl', PERL)
subprocess.run(['perl', str(script), str(path('perl.xlsx'))], input=json.dumps([[value or None for value in row] for row in table(typed=False)]), text=True, check=True)
version = first_line('perl', '-MExcel::Writer::XLSX', '-e', 'print $Excel::Writer::XLSX::VERSION')
expect('perl.xlsx', what='a writer that takes digits for numbers: zeros in front are gone; a formula with its value', made=f'Excel::Writer::XLSX {version} (Perl) {HERE}', rows=[
    {'at': at(2 + place), 'is': name, **({'with': {'policyNumber': '712345'}, 'repairs': {'zipcode': '2139 -> 02139'}} if name == 'Okafor' else {})} for place, name in enumerate(NAMES)])
shutil.rmtree(SCRATCH)
