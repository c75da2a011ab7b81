import { address } from '../router.ts'

/** Addresses of single objects, for links from any screen. */
export const noteAddress = (id: string): string => address(['notes', id])
export const recordAddress = (structureId: string, id: string): string =>
  address(['records', structureId, id])
export const fileAddress = (id: string): string => address(['files', id])
