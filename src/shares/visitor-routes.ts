import type { AppContext } from '../context.ts'
import { getFileContent } from '../files/service.ts'
import { downloadResponse } from '../http/download.ts'
import { hiddenEndpoints } from '../http/endpoints.ts'
import { STATUS_OF } from '../http/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { BytesBody, IgnoredQuery } from '../http/schema/types.ts'
import type { Admission } from '../lib/admission.ts'
import { html } from '../lib/html.ts'
import { isId } from '../lib/ids.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import { FailedSignIns } from '../people/sessions/failed-sign-ins.ts'
import {
  type FormBytes,
  formPreflight,
  jsonRefusal,
  repeatableNames,
  SentPerDay,
  showDone,
  showForm,
  shownToAll,
  takePost,
} from './forms/form.ts'
import { readSent, sendsFiles, sendsJson } from './forms/sent.ts'
import { notePage, showsFile, viewPage } from './pages/notes.ts'
import { notFoundPage, pageResponse, SHARE_HEADERS } from './pages/page.ts'
import { rowsPage } from './pages/rows.ts'
import { csvResponse, icsResponse } from './pages/rows-files.ts'
import { askForPassword, findVisit, isOpenFor, openWithPassword, pagesShown, type Visit } from './visits.ts'

/** Four files of 10 MiB with their texts; without files, only the texts. */
const MAX_FORM_BYTES = { files: 48 * 1024 * 1024, texts: 1024 * 1024 }
/** A password and its name. */
const MAX_PASSWORD_BYTES = 65_536

/** Shares and forms for visitors without an account: pages without script, under every host name of the server. */
export function visitorRoutes(ctx: AppContext, formBytes: FormBytes, untaken: Admission) {
  const failures = new FailedSignIns(ctx)
  const limits = { perDay: new SentPerDay(ctx), bytes: formBytes }
  const shown = pagesShown(ctx)
  const isSecure = ctx.config.publicUrls.some((url) => url.startsWith('https:'))

  /** Shows a page of a share, after its password. Everything refused as not found gets the same page. */
  async function show(
    token: string,
    { request }: Exchange,
    page: (visit: Visit) => Response | Promise<Response>,
    isForm = false,
  ): Promise<Response> {
    const visit = findVisit(ctx, token, isForm)
    if (!visit) return notFoundPage()
    if (!isOpenFor(request, visit.share, ctx.clock.now())) return askForPassword()
    const response = await orRefusal(() => page(visit))
    if (response.status === 200 && request.method === 'GET' && isPage(response)) shown.add(visit.share.pk)
    return response
  }

  const sharedPage = (visit: Visit, query: URLSearchParams): Promise<Response> => {
    const page = pageNumber(query.get('page'))
    if (visit.share.kind === 'note') return notePage(ctx, visit, visit.share.target)
    if (visit.share.kind === 'view') return viewPage(ctx, visit, page)
    const [sort, direction, month] = [query.get('sort'), query.get('direction'), query.get('month')]
    return rowsPage(ctx, visit, { page, sort, direction, month })
  }

  const shared = (exchange: Exchange, name: string): Promise<Response> => {
    const [, token = name, type] = /^(.*)\.(csv|ics)$/.exec(name) ?? []
    // Calendar programs send no password, so a share with a password has no calendar.
    if (type === 'ics' && findVisit(ctx, token, false)?.share.passwordHash)
      return Promise.resolve(notFoundPage())
    return show(token, exchange, (visit) => {
      if (type !== undefined && visit.share.kind !== 'row_view') throw notFound('file')
      if (type === 'csv') return csvResponse(ctx, exchange, visit, untaken)
      if (type === 'ics') return icsResponse(ctx, exchange, visit, untaken)
      return sharedPage(visit, new URLSearchParams(exchange.search))
    })
  }

  const sharedFile = (exchange: Exchange, token: string, sentId: string): Promise<Response> =>
    show(token, exchange, async (visit) => {
      const file = sentId.toLowerCase()
      const isOfNotes = visit.share.structure === null
      const note = new URLSearchParams(exchange.search).get('note')
      if (!isId(file) || !isOfNotes || !(await showsFile(ctx, visit, file, note))) throw notFound('file')
      const response = downloadResponse(exchange, getFileContent(ctx.db, visit.caller, file))
      for (const [name, value] of Object.entries(SHARE_HEADERS)) response.headers.set(name, value)
      return response
    })

  async function tryPassword(exchange: Exchange, token: string, body: Body): Promise<Response> {
    const visit = findVisit(ctx, token, false)
    if (!visit || visit.share.passwordHash === null) return notFoundPage()
    return orRefusal(async () => {
      const { request, address } = exchange
      const sent = await readSent(request, await body.bytes(`share ${visit.share.id}`, MAX_PASSWORD_BYTES))
      const password = sent.isJson ? '' : (sent.texts.get('password')?.[0] ?? '')
      return openWithPassword(ctx, failures, visit, { address, isSecure, password })
    })
  }

  async function post(exchange: Exchange, token: string, body: Body): Promise<Response> {
    const isJson = sendsJson(exchange.request)
    const visit = findVisit(ctx, token, true)
    if (!visit) return isJson ? shownToAll(jsonRefusal(exchange, [notFound('form')])) : notFoundPage()
    const take = async () => {
      const { request } = exchange
      const most = MAX_FORM_BYTES[sendsFiles(request) ? 'files' : 'texts']
      const bytes = await body.bytes(`share ${visit.share.id}`, most)
      const sent = await readSent(request, bytes, repeatableNames(ctx, visit))
      return takePost(ctx, visit, limits, { exchange, sent })
    }
    return shownToAll(await orRefusal(take, isJson ? exchange : undefined))
  }

  return hiddenEndpoints('', 'nothing')
    .get('/s/:token', ({ exchange, params }) => shared(exchange, params.token), ANYONE)
    .post('/s/:token', ({ exchange, params, body }) => tryPassword(exchange, params.token, body), TAKES_BYTES)
    .get(
      '/s/:token/files/:id',
      ({ exchange, params }) => sharedFile(exchange, params.token, params.id),
      ANYONE,
    )
    .get(
      '/s/:token/:noteId',
      ({ exchange, params: { token, noteId } }) =>
        show(token, exchange, (visit) => {
          if (visit.share.kind !== 'view' || !isId(noteId)) throw notFound('note')
          return notePage(ctx, visit, noteId)
        }),
      ANYONE,
    )
    .get('/s/*', notFoundPage, ANYONE)
    .get(
      '/f/:token',
      ({ exchange, params }) =>
        show(
          params.token,
          exchange,
          (visit) => showForm(ctx, visit, new URLSearchParams(exchange.search)),
          true,
        ),
      ANYONE,
    )
    .get(
      '/f/:token/done',
      ({ exchange, params }) => show(params.token, exchange, (visit) => showDone(ctx, visit), true),
      ANYONE,
    )
    .get('/f/*', notFoundPage, ANYONE)
    .post('/f/:token', ({ exchange, params, body }) => post(exchange, params.token, body), TAKES_BYTES)
    .options('/f/:token', formPreflight, ANYONE)
}

const ANYONE = { open: true, query: IgnoredQuery } as const
const TAKES_BYTES = { ...ANYONE, body: BytesBody } as const

interface Body {
  bytes(key: string, most?: number): Promise<Uint8Array>
}

const isPage = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('text/html') ?? false

/** A page number in an address; anything else means the first page. */
const pageNumber = (text: string | null): number => (/^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : 1)

/**
 * Responds to a refusal with a page, or with JSON to a program. Objects that a share does not show look like missing
 * objects.
 */
async function orRefusal(run: () => Response | Promise<Response>, program?: Exchange): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (program) return jsonRefusal(program, [error])
    if (error.code === 'not_found' || error.code === 'no_access') return notFoundPage()
    const { message, code, retryAfterSeconds } = error
    const title = 'This does not work'
    const main = html`<h1>${title}</h1><p>${message}</p>`
    return pageResponse({ title, main, status: STATUS_OF[code], retryAfterSeconds })
  }
}
