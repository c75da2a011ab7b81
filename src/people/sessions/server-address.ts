import { getTableColumns } from 'drizzle-orm'
import { from, rowBy, upsertInto } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { serverAddress } from '../../storage/schema/sessions.ts'

/** The URL of the server, for a database of any version. */
export const findServerUrl = (reader: Reader): string | undefined => findUrl(reader)?.url

const findUrl = rowBy(() => from(serverAddress, { url: serverAddress.url }))

/** The address of the server that runs, or last ran, on this database. */
export const findServerAddress = rowBy(() => from(serverAddress, getTableColumns(serverAddress)))

export const saveServerAddress = upsertInto(serverAddress, serverAddress.pk)
