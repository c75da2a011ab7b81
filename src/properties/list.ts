import { wholeListQuery } from '../http/whole-list.ts'
import { propertyKind } from './service.ts'

export const propertiesQuery = wholeListQuery('properties.list', 'properties', propertyKind.list)
