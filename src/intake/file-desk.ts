import type { Corrections } from './corrections.ts';
import type { FileReading, IntakeOptions } from './read-file.ts';

/** Reads strangers' files and writes what goes back to them; a run does both in processes of their own (cli/files-apart.ts). */
export interface FileDesk {
  /** As `readOrderFile` does: throws UnreadableFileError, also from the rows, which can be asked for once. */
  read(path: string, displayName: string, options: IntakeOptions): Promise<FileReading>;
  /** Writes the corrections workbook of so many rows: in its plain form where they are too many, or where the other cannot be made. */
  writeCorrections(path: string, corrections: Corrections, rowCount: number): Promise<void>;
}
