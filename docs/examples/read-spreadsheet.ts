// Reads a spreadsheet as a run would, and prints its orders and what is wrong with its other rows. Nothing is sent.
//   node docs/examples/read-spreadsheet.ts samples/02-agency-workbook.xlsx
import { readOrders, UnreadableFileError } from 'inspection-batch';

const [path = 'samples/02-agency-workbook.xlsx'] = process.argv.slice(2);
try {
  await using file = await readOrders(path);
  for await (const row of file.rows()) {
    const { sheet, rowNumber } = row.record.place;
    if (row.kind === 'order') {
      const { serviceName, streetAddress, city, state } = row.payload;
      console.log(`${sheet}, row ${rowNumber}: ${serviceName}, ${streetAddress}, ${city}, ${state}`);
      for (const repair of row.repairs)
        console.log(`  ${repair.cell}: "${repair.held}" is sent as "${repair.sent}": ${repair.why}`);
    } else {
      console.log(`${sheet}, row ${rowNumber} cannot be ordered:`);
      for (const problem of row.problems) console.log(`  ${problem.message}`);
    }
  }
  for (const { code, text } of file.notes) console.log(`${code}: ${text}`);
} catch (failure) {
  if (!(failure instanceof UnreadableFileError)) throw failure;
  console.error(failure.message);
  process.exitCode = 2;
}
