export { describeQuery, instructionsQuery } from './tools/describe.ts'
export { mcpRowsWrite } from './tools/records.ts'
