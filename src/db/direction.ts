export type Direction = 'asc' | 'desc'

/** The word for it in SQL. */
export const sqlWay = (direction: Direction): 'ASC' | 'DESC' => (direction === 'asc' ? 'ASC' : 'DESC')
