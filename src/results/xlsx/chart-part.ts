import type { Chart } from '../workbook-writer.ts';
import { columnLetters, XML_HEAD, xmlText } from './xml-text.ts';

/** `xl/charts/chart….xml`: one row of horizontal bars, the first on top, each with its value behind it and without a grid. */
export function chartXml({ title, bars, nameColumn, valueColumn, firstRow, colour }: Chart, sheet: string): string {
  const range = (column: number): string => {
    const letters = columnLetters(column);
    return xmlText(`'${sheet.replaceAll("'", "''")}'!$${letters}$${firstRow + 1}:$${letters}$${firstRow + bars.length}`);
  };
  const names = bars.map(({ name }, index) => `<c:pt idx="${index}"><c:v>${xmlText(name)}</c:v></c:pt>`).join('');
  const values = bars.map(({ value }, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('');
  const fill = `<c:spPr><a:solidFill><a:srgbClr val="${colour}"/></a:solidFill></c:spPr>`;
  return (
    `${XML_HEAD}<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
    `<c:roundedCorners val="0"/><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1200" b="1"/></a:pPr><a:r><a:rPr lang="en-US" sz="1200" b="1"/><a:t>${xmlText(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>` +
    '<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/>' +
    `<c:ser><c:idx val="0"/><c:order val="0"/>${fill}<c:invertIfNegative val="0"/>` +
    '<c:dLbls><c:showLegendKey val="0"/><c:showVal val="1"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>' +
    `<c:cat><c:strRef><c:f>${range(nameColumn)}</c:f><c:strCache><c:ptCount val="${bars.length}"/>${names}</c:strCache></c:strRef></c:cat>` +
    `<c:val><c:numRef><c:f>${range(valueColumn)}</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="${bars.length}"/>${values}</c:numCache></c:numRef></c:val></c:ser>` +
    '<c:gapWidth val="60"/><c:axId val="1"/><c:axId val="2"/></c:barChart>' +
    '<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="maxMin"/></c:scaling><c:delete val="0"/><c:axPos val="l"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="800"/></a:pPr><a:endParaRPr lang="en-US" sz="800"/></a:p></c:txPr><c:crossAx val="2"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblOffset val="100"/><c:tickLblSkip val="1"/><c:noMultiLvlLbl val="1"/></c:catAx>' +
    '<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling><c:delete val="1"/><c:axPos val="t"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="1"/><c:crosses val="autoZero"/></c:valAx>' +
    '</c:plotArea><c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>'
  );
}
