import { addStyles } from '../components/styles.ts'
import styles from './markdown.css' with { type: 'text' }

addStyles(styles)
