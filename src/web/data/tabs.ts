/** This tab; what it keeps in this browser is not another tab's to take up while it is open. */
export const TAB = crypto.getRandomValues(new Uint32Array(4)).join('-')
