export * from './apply.ts'
export * from './service.ts'
