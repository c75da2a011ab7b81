import { embeddedFile } from '../../lib/program.ts'
import english from './faces/english.woff2' with { type: 'file' }
import latin from './faces/latin.woff2' with { type: 'file' }
import appleTouchIcon from './icons/apple-touch-icon.png' with { type: 'file' }
import icon from './icons/icon.svg' with { type: 'file' }
import icon192 from './icons/icon-192.png' with { type: 'file' }
import icon512 from './icons/icon-512.png' with { type: 'file' }
import maskable192 from './icons/maskable-192.png' with { type: 'file' }
import maskable512 from './icons/maskable-512.png' with { type: 'file' }

/** The target of content shared with the installed application; its service worker handles it. */
export const SHARE_PATH = '/app/share'

const ICONS: Readonly<Record<string, string>> = {
  'icon.svg': icon,
  'icon-192.png': icon192,
  'icon-512.png': icon512,
  'maskable-192.png': maskable192,
  'maskable-512.png': maskable512,
  'apple-touch-icon.png': appleTouchIcon,
  // For pages without script, whose style sheet names no file of a version.
  'english.woff2': english,
  'latin.woff2': latin,
}

/** The icon of this name for the installed application, or a face of pages without script. */
export const iconOf = (name: string): Blob | undefined =>
  Object.hasOwn(ICONS, name) ? embeddedFile(ICONS[name] ?? '') : undefined

const pngOf = (kind: 'icon' | 'maskable', size: number) => ({
  src: `/app/icons/${kind}-${size}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose: kind === 'icon' ? 'any' : 'maskable',
})

/** The web application manifest for installing the application; `shareKey` belongs to the browser. */
export const manifestFor = (shareKey: string) => ({
  id: '/app',
  name: 'daybook',
  short_name: 'daybook',
  description: 'Notes and records of your own.',
  start_url: '/app',
  scope: '/app',
  display: 'standalone',
  theme_color: '#0a5a76',
  background_color: '#f1f4f5',
  icons: [
    pngOf('icon', 192),
    pngOf('icon', 512),
    pngOf('maskable', 192),
    pngOf('maskable', 512),
    { src: '/app/icons/icon.svg', sizes: 'any', type: 'image/svg+xml' },
  ],
  shortcuts: [{ name: 'New note', url: '/app/new' }],
  share_target: {
    action: `${SHARE_PATH}?key=${shareKey}`,
    method: 'POST',
    enctype: 'multipart/form-data',
    params: {
      title: 'title',
      text: 'text',
      url: 'url',
      files: [
        {
          name: 'files',
          accept: ['image/*', 'application/pdf', 'text/*', 'audio/*', 'video/*', 'application/*'],
        },
      ],
    },
  },
})
