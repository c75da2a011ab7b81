import type { Reader } from '../db/reader.ts'

/**
 * The options of every search table over words. Texts are folded and segmented before they are inserted
 * (`tokenizer.ts`), so FTS5 only has to split at spaces and ASCII punctuation. The tables keep no copy of the text;
 * they can be rebuilt at any time.
 */
export const WORD_OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`

/** Whether the database has the table. */
export const hasTable = ({ sql }: Pick<Reader, 'sql'>, table: string): boolean =>
  sql.get("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?", table) !== undefined
