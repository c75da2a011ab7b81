import type { Source } from '../../../data/sources.ts'

/** A service that sends events, and the instructions to set it up. */
interface Provider {
  readonly title: string
  /** The origin of the secret: this page generates it, the service shows it after it has the URL, or there is none. */
  readonly secretBy: 'daybook' | 'service' | 'none'
  /** The service's name for the secret. */
  readonly secret: string
  /** The place to paste the URL, after “into”. */
  readonly where: string
}

export const PROVIDERS: Readonly<Record<Source['provider'], Provider>> = {
  stripe: {
    title: 'Stripe',
    secretBy: 'service',
    secret: 'signing secret (whsec_…)',
    where: 'Stripe: Developers, Webhooks, Add endpoint',
  },
  github: {
    title: 'GitHub',
    secretBy: 'daybook',
    secret: 'Secret',
    where:
      'GitHub: repository Settings, Webhooks, Add webhook, as Payload URL. Choose the content type application/json',
  },
  shopify: {
    title: 'Shopify',
    secretBy: 'service',
    secret: 'key shown below the list of webhooks',
    where: 'Shopify: Settings, Notifications, Webhooks, Create webhook',
  },
  slack: {
    title: 'Slack',
    secretBy: 'service',
    secret: 'Signing Secret under Basic Information',
    where: 'Slack: Event Subscriptions of your app, Request URL',
  },
  standard: {
    title: 'Standard Webhooks or Svix',
    secretBy: 'service',
    secret: 'signing secret (whsec_…)',
    where: 'the service’s webhook endpoints',
  },
  hmac: {
    title: 'Signature in a header (HMAC)',
    secretBy: 'daybook',
    secret: 'signing key',
    where: 'the service’s webhook settings',
  },
  bearer: {
    title: 'Token (Authorization: Bearer)',
    secretBy: 'daybook',
    secret: 'token',
    where: 'the service’s webhook settings',
  },
  basic: {
    title: 'User and password (Basic)',
    secretBy: 'daybook',
    secret: 'password',
    where: 'the service’s webhook settings',
  },
  none: {
    title: 'Any service, unverified',
    secretBy: 'none',
    secret: '',
    where: 'the service. Anyone who knows the URL can write',
  },
}

/** A random secret of 192 bits, in hexadecimal. */
export const newSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
