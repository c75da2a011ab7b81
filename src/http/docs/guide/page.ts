import { memoizeByObject } from '../../../lib/bounded-cache.ts'
import { Html, html } from '../../../lib/html.ts'
import { tokensOf, withoutTitle } from '../../../lib/markdown.ts'
import { HTML_OUTPUT, htmlElement } from '../../../lib/markdown-html.ts'
import { type Output, topRankOf, walkMarkdown } from '../../../lib/markdown-walk.ts'
import { VERSION } from '../../../lib/version.ts'
import { STYLE } from '../../page-style.ts'
import { staticPage, staticPagePolicy } from '../../static-page.ts'
import { anchorOf, findGuidePage, GUIDE, GUIDE_PAGES, type GuidePage, shownText } from './pages.ts'
import { findGuidePicture } from './pictures.ts'
import { type GuideHit, searchGuide } from './search.ts'

const GUIDE_PATH = '/docs/guide'
/** The longest query, in characters. */
export const MAX_QUERY = 200

const GUIDE_STYLE = `${STYLE}
body{align-items:stretch;padding:0}
header{width:auto;display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;padding:.75rem 1.5rem;text-align:start;font-size:.9375rem;border-bottom:1px solid var(--line)}
header>a{font-weight:650;color:var(--ink);text-decoration:none}header>a+a{font-weight:400;color:var(--accent)}
header form{display:flex;gap:.5rem;margin-inline-start:auto}header input{min-height:2.25rem;width:15rem;padding:.25rem .75rem;font-size:.9375rem}header button{min-height:2.25rem;padding:.25rem 1rem}
.guide{display:grid;grid-template-columns:15rem minmax(0,48rem);gap:2.5rem;width:min(66rem,100%);margin:0 auto;padding:2rem 1.5rem}
.guide nav{font-size:.9375rem;line-height:1.4}.guide nav h2{font-size:.8125rem;color:var(--ink-3);margin:1.25rem 0 .25rem}.guide nav h2:first-child{margin-top:.25rem}.guide nav ul{list-style:none;margin:0;padding:0}.guide nav a{display:block;padding:.25rem .5rem;border-radius:.375rem;color:var(--ink-2);text-decoration:none}.guide nav a:hover{background:var(--sunk)}.guide nav a[aria-current]{background:var(--sunk);color:var(--ink);font-weight:600}
.guide main{--m:0;width:auto;padding:0;background:none;box-shadow:none}
main :is(p,li)>code{white-space:nowrap}main h2{border-top:1px solid var(--line);padding-top:1.25rem;margin-top:2rem;scroll-margin-top:1rem}
.guide main img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:.5rem}
.contents{display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:1.5rem 2rem}.contents h2{font-size:1.0625rem;border:0;margin:0 0 .25rem;padding:0}.contents ul{list-style:none;margin:0;padding:0;font-size:.9375rem;line-height:1.5}.contents li a{color:var(--ink-2);text-decoration-color:var(--line)}
.hits{list-style:none;padding:0}.hits mark{color:var(--ink)}.hits li{border-bottom:1px solid var(--line);padding:.75rem 0}.hits p{margin:.25rem 0 0;color:var(--ink-2);font-size:.9375rem}
.turn{display:flex;justify-content:space-between;gap:1rem;margin-top:2.5rem;padding-top:1rem;border-top:1px solid var(--line)}
footer{width:auto}
@media(max-width:52rem){.guide{display:flex;flex-direction:column-reverse;gap:1.5rem;padding:1.25rem 1rem}header{padding:.75rem 1rem}header form{margin:0;width:100%}header input{flex:1}header button{width:auto}main :is(p,li)>code{white-space:normal}}
@media print{.guide{display:block}.guide nav,.turn{display:none}}
`

const POLICY = staticPagePolicy(GUIDE_STYLE)

const RESPONSE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
}

const addressOf = ({ slug }: GuidePage): string => `${GUIDE_PATH}/${slug}`

const navigation = (current?: GuidePage): Html =>
  html`<nav aria-label="Guide">${GUIDE.map(
    ({ name, pages }) => html`<h2>${name}</h2>
<ul>${pages.map(
      (page) =>
        html`<li><a href="${addressOf(page)}"${page === current ? new Html(' aria-current="page"') : ''}>${page.title}</a></li>
`,
    )}</ul>
`,
  )}</nav>`

interface Content {
  readonly title: string
  readonly main: Html
  readonly current?: GuidePage
  readonly query?: string
  readonly status?: number
}

const guideResponse = ({ title, main, current, query = '', status = 200 }: Content): Response =>
  new Response(
    staticPage({
      title: `${title} · daybook guide`,
      style: GUIDE_STYLE,
      body: html`<header>
<a href="${GUIDE_PATH}">daybook guide</a>
<a href="/docs">API reference</a>
<form action="${GUIDE_PATH}" role="search"><input type="search" name="q" value="${query}" maxlength="${MAX_QUERY}" placeholder="Search the guide" aria-label="Search the guide"><button>Search</button></form>
</header>
<div class="guide">
${navigation(current)}
<main>
${main}
</main>
</div>
<footer>daybook ${VERSION}</footer>`,
    }),
    { status, headers: RESPONSE_HEADERS },
  )

const HEADING = /^h[2-5]$/
const textOf = ({ text }: Html): string => text.replace(/<[^<>]*>/g, '').replace(/&\w+;/g, '')

/** The address of a page linked from the guide; undefined for files of the repository. */
function guideAddress(href: string): string | undefined {
  const [, slug = '', anchor = ''] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? []
  if (href.startsWith('#')) return href
  const page = findGuidePage(slug)
  return page && `${addressOf(page)}${anchor}`
}

const OUTPUT: Output<Html> = {
  ...HTML_OUTPUT,
  element: (name, attributes, content) =>
    HEADING.test(name)
      ? htmlElement(name, { ...attributes, id: anchorOf(content.map(textOf).join('')) }, content)
      : htmlElement(name, attributes, content),
  relativeLink(href, content) {
    const address = guideAddress(href)
    if (address !== undefined) return html`<a href="${address}">${content}</a>`
    return html`${content} (<code>${href.replace(/^\.\.\/\.\.\//, '').replace(/^\.\.\//, 'scripts/')}</code>)`
  },
  relativeImage(href, alt) {
    const picture = findGuidePicture(href.replace(/^pictures\//, ''))
    if (!picture) return undefined
    const { name, width, height } = picture
    return html`<img src="${GUIDE_PATH}/pictures/${name}" alt="${alt}" width="${width}" height="${height}" loading="lazy">`
  },
  noteLink: ({ target }) => html`[[${target}]]`,
  fileLink: (_, name) => html`${name}`,
  fileAddress: () => '',
}

const bodyOf = memoizeByObject((page: GuidePage): Html => {
  const blocks = withoutTitle(tokensOf(shownText(page)), page.title)
  return html`${walkMarkdown(blocks, topRankOf(blocks), OUTPUT)}`
})

/** Links to the previous and next page. */
function turn(page: GuidePage): Html {
  const at = GUIDE_PAGES.indexOf(page)
  const [before, after] = [GUIDE_PAGES[at - 1], GUIDE_PAGES[at + 1]]
  return html`<div class="turn"><span>${before && html`<a href="${addressOf(before)}" rel="prev">← ${before.title}</a>`}</span>
<span>${after && html`<a href="${addressOf(after)}" rel="next">${after.title} →</a>`}</span></div>`
}

/** A page of the guide; 404 with the contents for an unknown name. */
export function guidePageResponse(slug: string): Response {
  const page = findGuidePage(slug)
  if (!page)
    return guideResponse({
      title: 'Not found',
      main: html`<h1>There is no such page</h1>
${contents()}`,
      status: 404,
    })
  const main = html`<h1>${page.title}</h1>
${bodyOf(page)}
${turn(page)}`
  return guideResponse({ title: page.title, main, current: page })
}

const tasksOf = (page: GuidePage): string[] =>
  [...shownText(page).matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading.replaceAll('`', ''))

/** Every page with its tasks. */
const contents = (): Html =>
  html`<div class="contents">${GUIDE_PAGES.map(
    (page) => html`<section><h2><a href="${addressOf(page)}">${page.title}</a></h2>
<ul>${tasksOf(page).map((task) => html`<li><a href="${addressOf(page)}#${anchorOf(task)}">${task}</a></li>`)}</ul></section>
`,
  )}</div>`

const hitItem = ({ page, heading, anchor, excerpt: [before, word, after] }: GuideHit): Html =>
  html`<li><a href="${addressOf(page)}${anchor}">${page.title}${heading !== '' && ` · ${heading}`}</a>
<p>${before}<mark>${word}</mark>${after}</p></li>
`

function foundResponse(query: string): Response {
  const hits = searchGuide(query)
  const count = hits.length === 1 ? '1 section found' : `${hits.length} sections found`
  const main =
    hits.length === 0
      ? html`<h1>Nothing found</h1>
<p>No section has all words of “${query}”. Try fewer or shorter words.</p>`
      : html`<h1>Search</h1>
<p class="by">${count}</p>
<ul class="hits">${hits.map(hitItem)}</ul>`
  return guideResponse({ title: 'Search', main, query })
}

/** The contents of the guide, or the sections that match a query. */
export function guideResponseFor(query: string): Response {
  if (query.trim() !== '') return foundResponse(query)
  return guideResponse({
    title: 'Contents',
    main: html`<h1>daybook guide</h1>
<p class="by">The guide of version ${VERSION}. <code>daybook help install</code> prints a page in a terminal.</p>
${contents()}`,
  })
}
