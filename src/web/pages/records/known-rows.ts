import type { Row } from './model.ts'

/** Where rows are known by their ids. */
export interface Rows {
  find(id: string): Row | undefined
  replace(row: Row): void
}

/** Rows that no screen shows. */
export class KnownRows extends Map<string, Row> implements Rows {
  find(id: string): Row | undefined {
    return this.get(id)
  }

  replace(row: Row): void {
    this.set(row.id, row)
  }
}
