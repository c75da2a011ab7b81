/** The name of the file with the built application, also in the executable. */
export const PACKED = 'application.pack'

/** The path of the application's files. */
export const ASSETS_PATH = '/app/assets'
