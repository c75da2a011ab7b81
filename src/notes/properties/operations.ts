export { createProperty, listProperties } from './service.ts'
