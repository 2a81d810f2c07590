import { XML_HEAD } from './xml-text.ts';

const COLOURS: readonly (readonly [string, string])[] = [
  ['dk1', '<a:sysClr val="windowText" lastClr="000000"/>'],
  ['lt1', '<a:sysClr val="window" lastClr="FFFFFF"/>'],
  ...(
    [
      ['dk2', '44546A'],
      ['lt2', 'E7E6E6'],
      ['accent1', '4472C4'],
      ['accent2', 'ED7D31'],
      ['accent3', 'A5A5A5'],
      ['accent4', 'FFC000'],
      ['accent5', '5B9BD5'],
      ['accent6', '70AD47'],
      ['hlink', '0563C1'],
      ['folHlink', '954F72'],
    ] as const
  ).map(([name, colour]) => [name, `<a:srgbClr val="${colour}"/>`] as const),
];

const FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>';
const LINE = `<a:ln w="6350">${FILL}</a:ln>`;
const EFFECT = '<a:effectStyle><a:effectLst/></a:effectStyle>';

/** `xl/theme/theme1.xml`: the colours and fonts that programs offer; none of our own. */
export function themeXml(): string {
  const font = (name: string): string => `<a:latin typeface="${name}"/><a:ea typeface=""/><a:cs typeface=""/>`;
  return (
    `${XML_HEAD}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Office"><a:themeElements>` +
    `<a:clrScheme name="Office">${COLOURS.map(([name, colour]) => `<a:${name}>${colour}</a:${name}>`).join('')}</a:clrScheme>` +
    `<a:fontScheme name="Office"><a:majorFont>${font('Calibri Light')}</a:majorFont><a:minorFont>${font('Calibri')}</a:minorFont></a:fontScheme>` +
    `<a:fmtScheme name="Office"><a:fillStyleLst>${FILL.repeat(3)}</a:fillStyleLst><a:lnStyleLst>${LINE.repeat(3)}</a:lnStyleLst>` +
    `<a:effectStyleLst>${EFFECT.repeat(3)}</a:effectStyleLst><a:bgFillStyleLst>${FILL.repeat(3)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
  );
}
