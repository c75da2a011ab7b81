import type { Caller } from '../context.ts'

/** The server that took a request; Bun's own is one. */
export interface HttpServer {
  /** The address of the client. Finding it costs more than finding a key: ask only where it is needed. */
  requestIP(request: Request): { address: string } | null
  /** After how many idle seconds the connection of this request is closed; 0 for never. */
  timeout(request: Request, seconds: number): void
}

/** A request with what the pipeline has read and checked of it: what a handler is given. */
export interface RequestContext<
  Who extends Caller | undefined = Caller | undefined,
  Params = unknown,
  Query = unknown,
  Body = unknown,
> {
  /** In the response as `X-Request-Id`, and in the log. */
  readonly requestId: string
  readonly request: Request
  readonly server: HttpServer
  /** Undefined where no key is needed. */
  readonly caller: Who
  /** From the path, decoded. */
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The body as it was sent; empty without one. */
  readonly bodyText: string
}
