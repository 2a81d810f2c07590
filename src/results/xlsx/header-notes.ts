import { columnLetters, XML_HEAD, xmlText } from './xml-text.ts';

/** A note on a cell of the header row. */
export interface HeaderNote {
  /** From 0. */
  readonly column: number;
  readonly text: string;
}

const AUTHOR = 'inspection-batch';
/** In pixels at 96 a inch. */
const WIDTH = 260;
const LINE_HEIGHT = 16;
const CHARACTERS_PER_LINE = 42;

/** `xl/comments….xml`. */
export function commentsXml(notes: readonly HeaderNote[]): string {
  const comments = notes.map(
    ({ column, text }) => `<comment ref="${columnLetters(column)}1" authorId="0"><text><r><rPr><sz val="9"/><rFont val="Tahoma"/></rPr><t xml:space="preserve">${xmlText(text)}</t></r></text></comment>`,
  );
  return `${XML_HEAD}<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>${AUTHOR}</author></authors><commentList>${comments.join('')}</commentList></comments>`;
}

/** `xl/drawings/vmlDrawing….vml`: where each note opens; Excel shows none without it. */
export function notesDrawing(notes: readonly HeaderNote[]): string {
  const shapes = notes.map(({ column, text }, index) => {
    const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE)), 0);
    return (
      `<v:shape id="_x0000_s${1025 + index}" type="#_x0000_t202" style="position:absolute;width:${WIDTH}px;height:${LINE_HEIGHT * (lines + 1)}px;z-index:${index + 1};visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto">` +
      '<v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"/></v:textbox>' +
      `<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:AutoFill>False</x:AutoFill><x:Row>0</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
    );
  });
  return (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">' +
    '<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>' +
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>' +
    `${shapes.join('')}</xml>`
  );
}
