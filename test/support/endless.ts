import { rowTable } from '../../src/storage/row-table-names.ts'
import { declare, giveTable } from './records.ts'
import type { TestService } from './service.ts'

/** Declares a structure with endless rows: a query that matches no row runs until it is stopped. */
export async function declareEndless(service: TestService, name: string): Promise<void> {
  const { id } = await declare(service, name, [{ key: 'name', type: 'text' }])
  await giveTable(service, name)
  await service.ctx.db.write((tx): void => {
    const pk = tx.sql.scalar<number>('SELECT pk FROM structures WHERE id = ?', id)
    const columns = tx.sql
      .column<string>('SELECT name FROM pragma_table_info(?)', rowTable(pk))
      .map((column) => (column === 'pk' ? 'pk' : `0 AS ${column}`))
    tx.sql.script(`DROP TABLE ${rowTable(pk)}`)
    tx.sql.script(`CREATE VIEW ${rowTable(pk)} AS
      WITH RECURSIVE numbers (pk) AS (SELECT 1 UNION ALL SELECT pk + 1 FROM numbers)
      SELECT ${columns.join(', ')} FROM numbers`)
  })
}

/**
 * Parameters of a list or watch of such a structure that match no row. Sorting by a field reads the rows even after
 * the text index has found none.
 */
export const ENDLESS = { filter: [{ field: 'name', op: 'contains', value: 'nothing' }], sort: 'name' }
