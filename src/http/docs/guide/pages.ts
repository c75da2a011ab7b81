import access from '../../../../scripts/guide/access.md' with { type: 'text' }
import agents from '../../../../scripts/guide/agents.md' with { type: 'text' }
import backUp from '../../../../scripts/guide/back-up.md' with { type: 'text' }
import build from '../../../../scripts/guide/build.md' with { type: 'text' }
import code from '../../../../scripts/guide/code.md' with { type: 'text' }
import commands from '../../../../scripts/guide/commands.md' with { type: 'text' }
import configuration from '../../../../scripts/guide/configuration.md' with { type: 'text' }
import contributing from '../../../../scripts/guide/contributing.md' with { type: 'text' }
import deploy from '../../../../scripts/guide/deploy.md' with { type: 'text' }
import everyEvent from '../../../../scripts/guide/every-event.md' with { type: 'text' }
import grow from '../../../../scripts/guide/grow.md' with { type: 'text' }
import install from '../../../../scripts/guide/install.md' with { type: 'text' }
import limits from '../../../../scripts/guide/limits.md' with { type: 'text' }
import mirrors from '../../../../scripts/guide/mirrors.md' with { type: 'text' }
import moveData from '../../../../scripts/guide/move-data.md' with { type: 'text' }
import notes from '../../../../scripts/guide/notes.md' with { type: 'text' }
import operate from '../../../../scripts/guide/operate.md' with { type: 'text' }
import promises from '../../../../scripts/guide/promises.md' with { type: 'text' }
import receiveEvents from '../../../../scripts/guide/receive-events.md' with { type: 'text' }
import sendWebhooks from '../../../../scripts/guide/send-webhooks.md' with { type: 'text' }
import share from '../../../../scripts/guide/share.md' with { type: 'text' }
import signIn from '../../../../scripts/guide/sign-in.md' with { type: 'text' }
import tables from '../../../../scripts/guide/tables.md' with { type: 'text' }
import tour from '../../../../scripts/guide/tour.md' with { type: 'text' }

/** One page of the guide, as Markdown. */
export interface GuidePage {
  /** Its name in addresses and for `daybook help`. */
  readonly slug: string
  readonly title: string
  readonly text: string
}

interface GuideGroup {
  readonly name: string
  readonly pages: readonly GuidePage[]
}

function page(slug: string, text: string): GuidePage {
  const [, title = ''] = /^# (.*)/.exec(text) ?? []
  return { slug, title, text }
}

/** The pages of `scripts/guide`, in reading order; every build embeds them. */
export const GUIDE: readonly GuideGroup[] = [
  {
    name: 'Start',
    pages: [page('install', install), page('tour', tour)],
  },
  {
    name: 'Run a server',
    pages: [
      page('deploy', deploy),
      page('access', access),
      page('sign-in', signIn),
      page('operate', operate),
      page('back-up', backUp),
      page('grow', grow),
    ],
  },
  {
    name: 'Use it',
    pages: [
      page('notes', notes),
      page('tables', tables),
      page('share', share),
      page('send-webhooks', sendWebhooks),
      page('every-event', everyEvent),
      page('receive-events', receiveEvents),
      page('agents', agents),
      page('mirrors', mirrors),
      page('build', build),
      page('move-data', moveData),
    ],
  },
  {
    name: 'Look up',
    pages: [page('commands', commands), page('configuration', configuration), page('limits', limits)],
  },
  {
    name: 'Work on daybook',
    pages: [page('contributing', contributing), page('code', code), page('promises', promises)],
  },
]

/** All pages, in reading order. */
export const GUIDE_PAGES: readonly GuidePage[] = GUIDE.flatMap(({ pages }) => pages)

/** The page with this name; spaces may replace its hyphens. */
export const findGuidePage = (name: string): GuidePage | undefined =>
  GUIDE_PAGES.find(({ slug }) => slug === name.toLowerCase().replaceAll(' ', '-'))

/** Comments in a page mark blocks for tests. */
const COMMENT = /<!--[^\n]*?-->\n?/g

/** A page without its comments. */
export const shownText = ({ text }: GuidePage): string => text.replace(COMMENT, '')

/** The anchor of a heading, as on GitHub. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const PICTURE = /!\[[^[\]\n]*\]\([^()\s]+\)\n*/g

/** A page as text alone. */
export const withoutPictures = (text: string): string => text.replace(PICTURE, '')

const LINK = /\[([^[\]\n]*)\]\(([^()\s]+)\)/g

/** A page for a terminal: links to other pages become the command that prints them. */
export const terminalText = (page: GuidePage): string =>
  withoutPictures(shownText(page))
    .replace(/\\(?=[|<*])/g, '')
    .replace(LINK, (_, label: string, target: string) => {
      const [, slug] = /^([\w-]+)\.md/.exec(target) ?? []
      if (slug !== undefined) return `${label} (daybook help ${slug})`
      return target.startsWith('#') ? label : `${label} (${target.replace(/^(?:\.\.\/)+/, '')})`
    })
