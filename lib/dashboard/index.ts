/** The entry point `keyward/dashboard`: the pages on which members manage their keys, and a sign-in for them. */
export type { DashboardWarning } from '../events/dashboard-warning.js';
export { createDashboard, type DashboardOptions } from './create-dashboard.js';
export type { MemberOf } from './http/current-member.js';
export { createSignIn, type SignIn, type SignInLink, type SignInOptions } from './sign-in/create-sign-in.js';
