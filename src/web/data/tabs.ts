/** The ID of this tab. Other tabs do not adopt its drafts while it is open. */
export const TAB = crypto.getRandomValues(new Uint32Array(4)).join('-')
