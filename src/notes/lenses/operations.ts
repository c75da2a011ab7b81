export * from './graph.ts'
export * from './service.ts'
