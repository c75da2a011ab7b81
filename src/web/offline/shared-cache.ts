/* What the service worker and the page both know of what was shared with the application and is in no note yet. */

/** The cache that it is kept in. */
export const SHARED = 'daybook-shared'
/** Where the system sends it; below that it is kept, under the id that its note will have. */
export const SHARE = '/app/share'
/** On what is kept: the key that the address had which it was sent to. */
export const KEY = 'X-Key'
/** On what is kept: that a page of the application sent it. */
export const OWN = 'X-Own'
