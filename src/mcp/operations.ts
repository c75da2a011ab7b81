export { instructionsQuery } from './instructions.ts'
export { describeQuery } from './tools/describe.ts'
export { mcpRowsWrite } from './tools/records-write.ts'
