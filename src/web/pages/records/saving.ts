import { awaySince } from '../../data/request.ts'

/** What is said of a cell whose value the server does not hold yet. */
export const savingWords = (): string =>
  awaySince.value === undefined ? 'being saved' : 'not saved: waits until the server is back'
