export * from './service.ts'
export { autoIndexBuild, autoIndexDrop } from './storage/auto-index.ts'
