import { BurstQueue } from '../lib/event-loop.ts'
import type { HttpServer } from './routes.ts'

type Fetch = (request: Request, server: HttpServer) => Response | Promise<Response>

/** Lets requests that arrive in a burst begin in turn between callers: a thousand of one delay another's by little. */
export function inTurn(fetch: Fetch): Fetch {
  const arrivals = new BurstQueue()
  return (request, server) =>
    arrivals.run(
      () => credentialsOf(request),
      () => fetch(request, server),
    )
}

/** What tells callers apart before they are authenticated. */
const credentialsOf = ({ headers }: Request): string =>
  headers.get('authorization') ?? headers.get('cookie') ?? ''
