export { graphQuery } from './graph.ts'
export { lensesQuery } from './list.ts'
