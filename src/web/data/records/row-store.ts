import type { Row } from './model.ts'

/** Rows by id. */
export interface Rows {
  find(id: string): Row | undefined
  replace(row: Row): void
}

/** Rows that no screen displays. */
export class RowStore extends Map<string, Row> implements Rows {
  find(id: string): Row | undefined {
    return this.get(id)
  }

  replace(row: Row): void {
    this.set(row.id, row)
  }
}
