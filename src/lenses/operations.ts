export { graphQuery } from './graph.ts'
export { lensesQuery } from './service.ts'
