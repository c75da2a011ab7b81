/**
 * What the parts of the grid are to assistive technology. They are written out, because a phone lays the rows out as
 * blocks, and elements of a table that are laid out otherwise lose what they were.
 */
export const ROLES = {
  grid: { role: 'grid' },
  /** A grid whose rows are in groups. */
  tree: { role: 'treegrid' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader' },
  cell: { role: 'gridcell' },
  /** The place of rows that are not drawn. */
  space: { 'aria-hidden': true },
} as const
