/* Names that the service worker and the page use for shared content without a note. */

/** The cache of shared content. */
export const SHARED = 'daybook-shared'
/** The address to which the system sends content. Entries are stored below it, under the ID of the future note. */
export const SHARE = '/app/share'
/** Header of an entry: the key in the address to which it was sent. */
export const KEY = 'X-Key'
/** Header of an entry: set if a page of the application sent it. */
export const OWN = 'X-Own'
