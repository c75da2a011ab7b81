import { STYLE } from '../../http/page-style.ts'
import { staticPage, staticPagePolicy } from '../../http/static-page.ts'
import { Html, html } from '../../lib/html.ts'
import type { OfferedLevels, OfferedWorkspace } from './reach.ts'

/*
 * The pages of OAuth for people: sign-in, consent and errors. They work without script; a script adds sign-in with a
 * passkey. No other page may frame them.
 */

const PAGE_STYLE = `${STYLE}
main{max-width:34rem}form{margin-top:1.5rem}summary{cursor:pointer;font-weight:600;font-size:.9375rem;padding:.5rem 0}details{margin-bottom:1.25rem}details p{margin:.75rem 0}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 0}.second{color:var(--ink);background:none;box-shadow:inset 0 0 0 1px var(--edge)}
.or{display:grid;gap:.75rem;margin-top:1.5rem;border-top:1px solid var(--line);padding-top:1.5rem}.or a,.or button{display:block;width:100%;text-align:center;border-radius:.5rem;min-height:2.75rem;padding:.5rem 1.5rem;font-weight:600;text-decoration:none}.or a{color:var(--ink);box-shadow:inset 0 0 0 1px var(--edge);line-height:1.75rem}[hidden]{display:none!important}
`

interface Page {
  readonly title: string
  readonly main: Html
  readonly status?: number
  readonly retryAfterSeconds?: number | undefined
  readonly head?: Html
  /** Further sources that the page permits. */
  readonly formTarget?: string
  readonly script?: { readonly sources: string; readonly path: string }
}

function page({ title, main, status = 200, retryAfterSeconds, head, formTarget, script }: Page): Response {
  const text = staticPage({
    title: `${title} · daybook`,
    style: PAGE_STYLE,
    head: html`<meta name="robots" content="noindex">${head}${script && html`<script src="${script.path}" defer></script>`}`,
    body: html`<main>\n${main}\n</main>\n<footer>daybook</footer>`,
  })
  const policy = staticPagePolicy(PAGE_STYLE, { formTarget, scripts: script?.sources })
  return new Response(text, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      // With "no-referrer", browsers would send the form without its origin.
      'Referrer-Policy': 'same-origin',
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
  })
}

/** The page for a request that cannot be sent back to its app. */
export const errorPage = (sentence: string, status: number, retryAfterSeconds?: number): Response =>
  page({
    title: 'This app cannot be connected',
    main: html`<h1>This app cannot be connected</h1>
<p>${sentence}</p>
<p>Go back to the app and connect it again.</p>`,
    status,
    retryAfterSeconds,
  })

/** Opens the same address from this site, because browsers omit the session cookie when another site links here. */
export const reloadPage = (path: string): Response =>
  page({
    title: 'Connect an app',
    head: html`<meta http-equiv="refresh" content="0;url=${path}">`,
    main: html`<h1>Connect an app</h1>\n<p><a href="${path}">Continue</a></p>`,
  })

interface SignInPage {
  /** The query of the request for authorization. */
  readonly search: string
  readonly script: NonNullable<Page['script']>
  readonly oidcName: string | undefined
  readonly user?: string
  readonly problem?: string | undefined
  readonly status?: number
  readonly retryAfterSeconds?: number | undefined
}

export const signInPage = ({ search, script, oidcName, user, problem, ...rest }: SignInPage): Response =>
  page({
    ...rest,
    title: 'Sign in',
    script,
    main: html`<h1>Sign in to connect an app</h1>
${problem !== undefined && html`<p class="banner" role="alert">${problem}</p>`}
<form method="post" action="/oauth/sign-in?${search}">
<p><label for="user">Name</label><input id="user" name="user" value="${user}" autocomplete="username" autocapitalize="none" spellcheck="false" required></p>
<p><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p class="actions"><button>Sign in</button></p>
</form>
<div class="or"${oidcName === undefined ? new Html(' hidden') : ''}>
<button type="button" class="second" id="passkey" hidden>Sign in with a passkey</button>
${oidcName !== undefined && html`<a href="/app/sign-in/oidc?return=${encodeURIComponent(`/oauth/authorize?${search}`)}">${oidcName}</a>`}
</div>
<p class="bad" id="problem" role="alert" hidden></p>`,
  })

const LEVEL_NAMES = {
  none: 'No access',
  read: 'Read',
  add: 'Add rows only',
  write: 'Read and write',
} as const

interface ConsentPage {
  readonly client: string
  readonly host: string
  readonly user: string
  readonly token: string
  readonly formTarget: string
  readonly workspaces: readonly OfferedWorkspace[]
  /** The id of the preselected workspace. */
  readonly workspace: string
  readonly scope: 'write' | 'read'
  readonly levels: OfferedLevels
}

const option = (value: string, name: string, isSelected: boolean) =>
  html`<option value="${value}"${isSelected ? new Html(' selected') : ''}>${name}</option>`

/** The widest level is preselected: the app then reaches what its user reaches. */
const levelSelect = (name: string, label: string, levels: readonly (keyof typeof LEVEL_NAMES)[]) =>
  html`<p><label for="${name}">${label}</label><select id="${name}" name="${name}">${levels.map((level, at) =>
    option(level, LEVEL_NAMES[level], at === levels.length - 1),
  )}</select></p>`

export function consentPage({
  client,
  host,
  user,
  token,
  formTarget,
  workspaces,
  workspace,
  scope,
  levels,
}: ConsentPage): Response {
  const mayWrite = workspaces.some((offered) => offered.mayWrite)
  return page({
    title: `Connect ${client}`,
    formTarget,
    main: html`<h1>Connect ${client}?</h1>
<p><strong>${client}</strong> asks to use this daybook as you, ${user}. You will return to <strong>${host}</strong>.</p>
<p class="by">Apps choose their own names. Connect it only if you started this and recognize the address.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="token" value="${token}">
<p><label for="workspace">Workspace</label><select id="workspace" name="workspace">${workspaces.map(
      ({ id, name }) => option(id, name, id === workspace),
    )}</select></p>
<p><label for="scope">The app may</label><select id="scope" name="scope">${option('read', 'Read', scope === 'read' || !mayWrite)}${
      mayWrite && option('write', 'Read and write', scope === 'write')
    }</select></p>
<details><summary>Limit access</summary>
${levelSelect('access.notes', 'Notes', levels.notes)}
${levelSelect('access.files', 'Files', levels.files)}
${levelSelect('access.structures', 'Tables', levels.structures)}
</details>
<p class="actions"><button name="decision" value="allow">Connect</button><button class="second" name="decision" value="deny">Cancel</button></p>
</form>`,
  })
}
