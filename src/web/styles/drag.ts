import { addStyles } from '../components/styles.ts'
import styles from './drag.css' with { type: 'text' }

addStyles(styles)
