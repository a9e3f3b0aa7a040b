import { stem } from '../text/words.ts';

/** Words that people use for each other when they ask. */
const groups = [
	'cost price fee charge amount total rate',
	'salary pay earn wage compensation income',
	'pay payment owe due',
	'buyer customer client purchaser',
	'seller vendor supplier',
	'start begin commence effective',
	'end finish expire terminate expiry',
	'last continue duration term',
	'sign signature execute signed',
	'author write written wrote by prepared',
	'company firm organisation organization business corporation',
	'buy purchase acquire bought',
	'sell sale sold',
	'lawyer attorney counsel esq',
	'represent behalf',
	'aim goal objective purpose',
	'job position title role',
	'forbid prohibit ban',
	'forbidden prohibited',
	'allow permit permitted',
	'need require required must',
	'change amend modify',
	'law act statute',
	'email e-mail mail',
	'phone telephone tel call',
	'address street',
	'born birth birthday',
	'nationality citizen',
	'increase rise grow grew rose',
	'decrease fall decline drop fell',
	'employee staff worker headcount',
	'car vehicle',
	'film movie picture',
	'flight airfare fly',
	'biggest largest greatest highest most',
	'smallest lowest least fewest',
	'average mean',
	'deadline due',
	'warranty guarantee',
	'help support assist',
	'risk danger hazard',
	'problem issue defect',
	'result outcome finding',
	'show indicate',
	'quit resign leave',
	'manager head director lead',
	'refund reimburse reimbursement',
	'inhabitant population people',
	'cancel cancellation terminate termination',
	'holiday vacation leave',
	'number no nr count',
	'date issue publish release dated sign',
	'people person',
	'heavy weigh weight kilogram kg',
	'large size area square big',
	'far distance metre centimetre',
	'tall high height metre',
	'hot temperature degree heat',
	'fast quick quickly speed',
	'old age year',
	'often frequency every once',
	'long length duration',
	'agreement contract lease tenancy',
	'early earlier',
	'happen default penalty consequence',
	'apply govern',
	'tenant lessee renter',
	'landlord lessor owner',
	'ceo chief executive',
	'cfo chief financial',
	'cto chief technology',
	'wifi wireless wlan',
	'dog cat pet animal',
	'repair maintain maintenance fix',
	'consumption use watt',
	'lawsuit sue court',
	'error fault defect',
	'die died death dead',
	'lose lost loss',
	'sick ill sickness illness',
	'home remote remotely',
	'payday paid salary',
	'absent apology excused',
];

const known = new Map<string, Set<string>>();
for (const group of groups) {
	const stems = [...new Set(group.split(' ').map(stem))];
	for (const one of stems) {
		const others = known.get(one) ?? new Set();
		for (const other of stems) if (other !== one) others.add(other);
		known.set(one, others);
	}
}

/** Verbs and nouns that say little: they need not stand in an answer. */
const vague = new Set(
	(
		'hold held take took place come came make made do done go went begin began start happen occur get got use give gave put keep kept run ran set turn show work live ' +
		'use used back care ask help follow hear heard case pay paid earn large big heavy far tall high fast often deep wide early late much allow permit cost spend spent receive travel need must mean include involve become became see seen belong own owned have exist apply relate ' +
		'refer concern deal cover provide enter report go going end finish thing something anything someone people person main important different certain exact current total overall ' +
		'write wrote written born create issue publish release locate based meant called known said tell told talk discuss describe amount number date name time e-mail email mail address phone telephone fax website url link web site contact list'
	)
		.split(' ')
		.map(stem),
);

/** Whether a stem says so little that a passage without it may still be what is asked for. */
export function isVague(term: string): boolean {
	return vague.has(term);
}

/** Stems that may stand in a document for this one. */
export function synonymsOf(term: string): readonly string[] {
	return [...(known.get(term) ?? [])];
}
