import { hash } from '../../router.ts'

/** The token of a setup link, from the fragment of the address. */
export const setupToken = () => /^setup=([A-Za-z0-9_-]+)$/.exec(hash.value)?.[1]
