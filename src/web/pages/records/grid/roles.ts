/**
 * Explicit roles for assistive technology. Phones lay out rows as blocks, and table elements with another display value
 * lose their implicit roles.
 */
export const ROLES = {
  grid: { role: 'grid' },
  /** A grid with grouped rows. */
  tree: { role: 'treegrid' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader' },
  cell: { role: 'gridcell' },
  /** Space for rows that are not drawn. */
  space: { 'aria-hidden': true },
} as const
