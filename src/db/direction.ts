export type Direction = 'asc' | 'desc'

/** The SQL keyword of a direction. */
export const sqlWay = (direction: Direction): 'ASC' | 'DESC' => (direction === 'asc' ? 'ASC' : 'DESC')
