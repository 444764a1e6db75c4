"""The grammar of the training sentences: templates by what they are, and the phrases they are built from.

How to read a template:

    Which/T do/T you/O      words with their labels: T sentence type, O object, R relation, S sentiment
    <person> <v.thing.past> a phrase of this file, or a word of `words.py`, which brings its label with it
    <X> <v.X>               the same class for every X of a sentence: <dish> and a verb that takes a dish, ...
    <drink>*                this is what the sentence is mainly about; without a star, somebody
    <dish>/R                nouns in there carry R as well: they are joined directly by and, or, than
    {red | big | }          one of these, or none
    good/S+ bad/S- not/S~   judges well, judges badly, turns the judgement round; n't turns it round without a label

A line that starts with spaces goes on from the line before. Closing punctuation is added by sentence type, and now
and then left out.
"""

PHRASES = {
    # Somebody, something
    "who": "<name.person> | <name.person> | <person> | <person> | he/O | she/O | <whose> <n.person>",
    "they": "they/O | we/O | you/O | I/O | <persons> | <animals> | <name.person>/R and/R <name.person>/R",
    "whom": "me/O | you/O | him/O | her/O | us/O | them/O | <name.person> | <person> | <persons> | everyone/O",
    "whose": "my | your | his | her | our | their | <name.person> 's",
    "the": "the | the | the | a | a | a | <whose> | <whose> | {this | that | another | every | one | no}",
    "some": "the | the | some | <whose> | these | those | <number> | many | most | both | all the | ",
    "any": "the | some | <whose> | this | more | a little | | ",
    "number": "two | three | four | five | six | ten | twelve | twenty | fifty | a hundred",
    "which": " | | | | <adj> | <adj> | <adj> | <adj> <adj> | <judge>",
    "judge": "<good> | <bad> | <degree> <good> | <degree> <bad> | really/S <good> | really/S <bad>",
    "weather": """
        cold | warm | hot | dark | late | early | wet | dry | sunny | windy | cloudy | foggy | noisy | quiet | light
        | icy | humid | chilly""",
    "judged": "<judge> | <judge> | <judge> and/R <judge>",
    "feels": "<glad> | <sorry> | <degree> <glad> | <degree> <sorry> | really/S <glad> | really/S <sorry>",
    # Where, when, how
    "where": """
        {in | in | at | at | near | behind | outside | inside | beside | around | across | through | to | to | from
        | past | beyond | opposite | toward | into | above | below | along | within | off | by}/R {<place> | <place>
        | <place> | <name.place> | <places>}""",
    "with": """
        {with | without | on | on | under | over | against | beneath | behind | from | in | like}/R {<thing> |
        <things> | <thing> of/R <stuff>}""",
    "for": """
        {for | for | to | from | with | with | without | about | by | like | after | next to | among}/R {<whom> |
        <whom> | <person>}""",
    "when": """
        {in/R the <n.time> | on/R <n.time> | before/R <idea> | after/R <idea> | during/R <idea> | until/R <n.time> |
        since/R <n.time> | at/R night/O | every <n.time> | for/R <number> <ns.time> | about/R <idea> | after/R
        <n.dish>}""",
    "how": "<adverb>",
    "pp": "<where> | <where> | <with> | <for> | <when>",
    "tail": " | | | <pp> | <pp> | <how> | <pp> <how> | too",
    # What happens
    "did": """
        <v.X.past> <X> | <v.Y.past> <Y> | <v.motion.past> <where> | <v.action.past> <pp> | <v.give.past> <whom>
        <thing>""",
    "do": """
        <v.X> <X> | <v.Y> <Y> | <v.Y> {it/O | them/O | this/O} | <v.motion> <where> | <v.action> <pp> | <v.give>
        <whom> <thing> | <v.action>""",
    "does": "<v.X.s> <X> | <v.Y.s> <Y> | <v.motion.s> <where> | <v.action.s> <pp> | <v.give.s> <whom> <thing>",
    "doing": """
        <v.X.ing> <X> | <v.Y.ing> <Y> | <v.Y.ing> {it/O | them/O} | <v.motion.ing> <where> | <v.action.ing> <tail>""",
    "done": """
        <v.X.part> <X> | <v.Y.part> <Y> | <v.Y.part> {it/O | them/O} | <v.motion.part> <where> | <v.give.part>
        <whom> <thing>""",
    "clause": """
        <who> <did> | <they> <did> | it was <v.weather.ing> | it <v.weather.past> | <they> were <doing> | <they>
        will <do> | <who> <does> | it/O <v.action.past> | <who> {was/R | is/R} {<adj> | <where>} | <they> can't <do>
        | the <n.animal> <v.action.past>""",
    "joins": """
        {because | when | while | although | before | after | if | until | since | so | as | though | unless |
        whenever | but | and}/R""",
    "could": """
        can | could | will | would | should | may | might | must | didn't | won't | can't | couldn't | will not |
        cannot | did not""",
    "Could": """
        Can/T | Could/T | Will/T | Would/T | Should/T | May/T | Did/T | Did/T | Did/T | Didn't/T | Won't/T | Can't/T
        | Must/T""",
    "is": "is/R | is/R | was/R | was/R | isn't/R~ | wasn't/R~ | is/R not~",
    "Question": "Where/T | When/T | Why/T | How/T | How/T often",
}  # Noun phrases of each class are made in sentences.py.

TEMPLATES = """
# statement, action
<who> <v.X.past> <X>* <tail>
<they> <v.X.past> <X>* {and/R <v.X.past> it/O | to/R <whom> | <pp>}
<who>* <v.motion.past> <where> <tail>
<person>* <v.action.past> <pp>
<person>* <v.X.past> <X> <tail>
<persons>* <v.X> <X> <how>
<persons>* <v.X> <X> {and/R | or/R} <v.Y> <Y>
<who>* <v.X.s> <X> {every <n.time> | <how> | <where>}
<who>* often <does>
<animal>* <v.motion.past> <where>
<animals>* <v.action> <where>
<animals>* <v.motion> <how> <where> when/R it <v.weather.s>
<animal>* <v.action.past> {<how> | <pp> | }
<name.person> 's <n.animal>* <v.motion.past> <where>
<who>* {is | was} <doing>
<they>* {are | were | 're} <doing> <tail>
I/O 'm <doing>
<who>* {has | has already | had | hasn't | has never} <done>
<they>* {have | have just | had | haven't | 've} <done> {yet | | }
<who>* <could> <do> <tail>
<they>* {don't | do not | never | didn't} <do>
<who>* {doesn't | does not} <do>
<X>* {was | is being | has been | wasn't} <v.X.part> by/R {<person> | <name.person> | <whom>}
<Xs>* {were | are | weren't | have been} <v.X.part> {<where> | <when> | <how> | }
<who>* <v.give.past> <whom> <thing>
<who>* <v.give.past> {<thing> | <dish> | <drink>} to/R <whom>
{When | While | If | Because | Although | After | Before | Since | Whenever | As}/R <clause> , <they>* <did>
{When | While | If | Because | Although | After | Before | Since | As | Once}/R <clause> , <who>* <v.X.past> <X>
{In | On | During | After | Before}/R <idea> <they>* <did>
<who>* <did> <joins> <clause>
<they>* <did> <joins> <clause>
<who>* <did> , {and | but | so}/R <who> <did>
<person>*/R and/R <person>/R <v.X.past> <X>
<name.person>*/R and/R I/OR <did>
<who>* <v.X.past> {<X>/R and/R <X>/R | <X> , <X>/R and/R <X>/R | <Xs>/R and/R <Xs>/R}
{The | A} <n.person>* {who | that} <v.X.past> <X> <did>
The <n.thing>* {that | which} <they> <v.thing.past> <v.move.past> <where>
<who>* <v.saying.past> {that | } <clause>
<who>* <v.saying.past> {where | why | how | when | what} <they> <did>
<who>* <v.planning.past> to <do>
<they>* <v.planning> to <do>
<who>* {told | asked | helped | taught}/R <whom> to <do>
<who>* {made | let | saw | heard}/R <whom> <do>
It {<v.weather.past> | is <v.weather.ing> | will <v.weather> | has <v.weather.part>} {<where> | <how> | <when>}
    <joins> <they>* <did>
{Yesterday | Today | Last night/O | Sometimes | Suddenly | Then | Later | Every <n.time>} <they>* <did>
{Everyone | Nobody | Somebody | Someone | Everybody | No one}/O* <did>
{Something | Nothing}/O* <v.move.past> <where>
<thing>* <v.move.past> <where>
<dish>* <v.move.past> <with>
<who>* {picked | put | took | turned}/R {up | down | out | off | away} <thing>
<who>* {did | does}/R {<whose> | the} {<n.idea> | homework/O | <n.notion>}
<Y>* <v.move.past> <where> <joins> <clause>

# statement, action, luck
{<luckily> | <sadly>} , <who>* <did>
{<luckily> | <sadly>} <they>* <did>
<who>* <did> {<luckily> | <sadly>}
The {<glad> | <sorry> | <good> | <bad>} <n.person>* <did>
<whose> {<glad> | <sorry> | <good> | <bad>} <n.animal>* <v.motion.past> <where>
<who>* <v.X.past> {a | the | that} {<good> | <bad>} <n.X> <tail>
<they>* <v.X.past> <some> {<good> | <bad>} <n.X>

# statement, state
<X>* <is> <where>
<Xs>* {are | were | aren't | are not}/R {<where> | <with> | <adj>}
<X>* <is> <adj> {and/R <adj> | but/R <adj> | }
<X>* <is> {too | very | quite | so | rather | a bit} <adj>
<X>* <is> {a | another | not a} <adj> <n.thing>
<person>* <is> {a | the | not a} <n.person> {<where> | <for> | }
<name.person>* <is> <person>
There {is | was | isn't | 's}/R {a | no | another} <which> <n.X>* {<where> | <with>}
There {are | were | aren't}/R {<number> | some | no | many} <ns.Y>* {<where> | <with>}
It {is | was | isn't | 's}/R <weather> {<where> | <how> | <when> | outside}
{It | This | That}/O {is | was | isn't | 's}/R {<X>* | <X>* | mine/O | yours/O}
{These | Those | They}/O {are | were | aren't}/R <Xs>*
I/O {am | 'm}/R {<where> | a <n.person>* | not a <n.person>* | <number> years/O old}
{We | They | You}/O {are | 're | aren't | were}/R {<where> | <persons>* | <adj>}
{He | She}/O {is | 's | was | isn't}/R {<where> | <adj> | a <n.person>* | <person>*}
<who>* {has | had}/R {<X> | <number> <ns.Y> | a <adj> <n.Y>}
<they>* {have | had | 've got}/R {<X> | <number> <ns.Y> | no <ns.Y> | no <n.stuff>}
<they>* {don't | didn't | do not} have/R {any <ns.Y> | <X>}
<who>* {doesn't | didn't | never} {<v.state> <X> | <v.appear> <adj>}
<who>* {<v.state.s> <X> | lives/R <where> | works/R <where> | <v.state.past> <X>}
<X>* {<v.state.s> | <v.state.past>} {to/R <whom> | <thing> | <notion> | <person>}
<X>* {<v.appear.s> | <v.appear.past>} {<adj> | like/R <thing>}
<the> <n.thing> of/R <n.stuff>* <is> <where>
<the> <n.idea>* of/R <n.notion> <is> <adj>
<n.notion>* {is | was | isn't}/R <idea>
<Xs>* and/R <Ys> {are | aren't}/R <adj>
{If | When | Because}/R <clause> , <X>* {is | was | will be}/R {<adj> | <where>}
<X>* {will | could | must | should | can't | might | would} be/R {<where> | <adj> | <person>}
<X>* has been/R {<where> | <adj>} {since/R <n.time> | for/R <number> <ns.time> | }

# statement, state, judged
<X>* {is | was}/R <judged>
<X>* {is | was}/R <judge> , but/R <Y> {was | is}/R <judged>
<X>* {is | was}/R not/S~ {<good> | <bad>}
<X>* {is | was}/R not/S~ {very | so | really/S} {<good> | <bad>}
<X>* {isn't/R~ | wasn't/R~} {<good> | <bad>}
{<luckily> | <sadly>} {, | } <X>* {is | was}/R {<adj> | <where>}
<X>* {was | is}/R not/S~ {<good> | <bad>} but/R <Y> {was | is}/R {<good> | <bad>}
<X>* {was | is}/R {<good> | <bad>} but/R not/S~ {<good> | <bad>}
<X>* {was | is}/R <adj> {but | and}/R {<judge> | <judge>}
<Xs>* {are/R | were/R} {<judged> | not/S~ <good> | not/S~ <bad>}
<Xs>* {aren't/R~ | weren't/R~} {<good> | <bad>}
{It | This | That}/O {is | was | 's}/R {a | the} {<good> | <bad>} <n.X>*
{It | This | That}/O {isn't/R~ | wasn't/R~ | is/R not/S~} {a | the} {<good> | <bad>} <n.X>*
<X>* {<v.appear.s> | <v.appear.past>} {<judge> | not/S~ <good>}
<X>* {doesn't~ | didn't~} <v.appear> {<good> | <bad>}
<X>* {is | was}/R {a | such a | a real | a complete} {<joy> | <woe>}
<who>* {is | was}/R <judge> {at/R <n.notion> | to/R <whom> | with/R <things> | }
<who>* {is/R | was/R} not/S~ {a | the} {<good> | <bad>} <n.person>
I/O {think | believe | know}/R {that | } <X>* {is | was}/R <judge>
There {is | was}/R {a | no} {<good> | <bad>} <n.X>* <where>
<who>* {has | had}/R {a | the} {<good> | <bad>} <n.Y>
<the> {<good> | <bad>} <n.X>* <is> {<where> | <adj>}
What <they> <v.thing.past> {was | is}/R <judge>
To/R <whom> , <X>* {is | was}/R <judge>

# statement, feeling
<who> {<love.s> | <love.past> | <hate.s> | <hate.past>} <X>*
<they> {<love> | <hate> | <love.past> | <hate.past>} <X>*
<they> {<love> | <hate>} {<Xs>*/R and/R <Xs>/R | <Xs>*}
<they> {don't~ | didn't~ | never~ | can't~ | won't~} {<love> | <love> | <hate>} <X>*
<they> {don't~ | didn't~ | do not/S~} {like | love | enjoy}/RS+ <X>*
I/O {don't~ | didn't~ | never~} {like | love | enjoy | <love>}/RS+ <Xs>*
I/O {don't~ | didn't~ | can't~} <love> <X>*
<who> {doesn't~ | didn't~ | does not/S~} {like | love | enjoy | <love>}/RS+ <Xs>*
<they> {do | did | will} not/S~ {<love> | <hate>} <X>*
<who> {doesn't~ | didn't~} {<love> | <love> | <hate>} {<X>* | <whose> <n.X>*}
<who> does not/S~ {<love> | <hate>} <X>*
<they> {really/S | always | still | also | both} {<love> | <hate>} <X>*
<who> {really/S | always | still | also} {<love.s> | <hate.s>} <X>* <tail>
<who>* {is | was | felt | feels | seems | became}/R <feels> {about/R <X> | with/R <X> | of/R <X> | today | when/R
    <clause> | }
<who>* {is/R | was/R} not/S~ {<glad> | <sorry>}
<who>* {isn't/R~ | wasn't/R~} {<glad> | <sorry>} {about/R <X> | with/R <X> | of/R <X> | }
<they>* {are | were | felt | feel | 're}/R <feels> {about/R <X> | with/R <X> | of/R <X> | because/R <clause> | }
<they>* {aren't/R~ | weren't/R~} {<glad> | <sorry>} {about/R <X> | with/R <X> | }
{We | They | You}/O* {are/R not/S~ | 're/R not/S~ | aren't/R~ | weren't/R~} {<glad> | <sorry>} {by/R <X> |
    with/R <X> | at/R all}
<they> {can't | cannot | couldn't} stand/RS- <X>*
<they> {don't~ | didn't~ | never~} care/RS+ for/R <X>*
I/O* {am | was | 'm | felt}/R {<feels> | not/S~ <glad> | not/S~ <sorry>}
I/O* {am | was | 'm}/R <feels> {that | because/R | to hear/R that} <clause>
<X>* {<pleases.past> | <upsets.past> | <pleases.s> | <upsets.s>} <whom>
<Xs>* {<pleases.past> | <upsets.past> | <pleases> | <upsets>} <whom>
<who>* was {<pleases.part> | <upsets.part>} by/R <X>
<X>* made/R <whom> {<feels> | <feels>}
<who>* {<did> | <doing>} because/R {he | she}/O {was | felt}/R <feels>
{When | If | Because}/R <clause> , <they>* {were | are | felt | feel}/R <feels>
<the> {<glad> | <sorry>} <n.person>* {<love.past> | <hate.past>} <X>
{Everyone | Nobody | Somebody}/O {<love.s> | <hate.s>} <X>*

# statement, choice or comparison
<X>* <is> <more> than/R <X>
<X>* <is> <more> than/R <whose> <n.X>
<Xs>* {are | were | aren't}/R <more> than/R <Xs>
<X>* <is> as <adj> as/R <X>
<X>* <is> {better/S+ | worse/S-} than/R <X>
<Xs>* are/R {much | } {better/S+ | worse/S- | more <good> | more <bad> | less~ <good>} than/R <Xs>
<X>* <is> {more | less} <adj> than/R <X>
<X>* {is | was}/R the {best/S+ | worst/S- | most <good> | most <bad>} {<n.X> | of/R all}
<who>* {would | 'd} rather/S+ <v.X> <X> than/R <v.X> <X>
<who>* {would | 'd} rather/S+ {<v.motion> | <v.action>} than/R {<v.motion> | <v.action>}
I/O* {would | 'd} rather/S+ <do>
<they> {like | liked}/RS+ <X>* {more | better/S+} than/R <X>
<who> {likes | liked | loves | enjoys}/RS+ <Xs>* {more | better/S+ | best/S+}
<who> {prefers | preferred}/RS+ <X>* to/R <X>
<they> {prefer | preferred}/RS+ <Xs>* to/R <Xs>
<who> {chose | picked | ordered | took | wants}/R <X>*/R {or/R | and/R | instead of/R | rather/S+ than/R} <X>/R
<they> {want | need | choose | take | have}/R {either | } <X>*/R or/R <X>/R
<who>* <v.motion.past> <more> than/R <whom>
<who>* {has | had | needs | wants}/R {more | fewer} <ns.Y> than/R <whom>
{We | You | They}/O* {had | 'd} better/S+ <do>

# yes/no question, action
<Could> <who>* <do> <tail>
<Could> <they>* <do>
{Can | Could | Would | Will}/T you/O {please/T | } <v.X> <X>*
Do/T <they>* <do> {often | | | when/R it <v.weather.s>}
Does/T <who>* <do> <tail>
{Don't | Do}/T {you | they}/O <v.X> <X>*
{Have | Had | Haven't}/T <they>* {ever | already | | } <done> {yet | }
{Has | Had | Hasn't}/T <who>* {ever | | } <done> {yet | }
{Is | Was | Isn't}/T <who>* <doing>
{Are | Were | Aren't}/T <they>* <doing>
{Is | Was}/T <X>* <v.X.part> <where>
Is/T it <v.weather.ing> {<where> | <how> | }
Does/T it <v.weather> <where>
Has/T {anyone | somebody | anybody}/O* <done>
Did/T {anyone | somebody | everyone | nobody}/O* <do>
Shall/T we/O* <do>
Should/T I/O* <v.X> <X> {or not | }
{You | They}/O* <did>
<who>* <did>

# yes/no question, state
{Is | Was | Isn't | Wasn't}/TR <X>* {<where> | <adj> | still <adj>}
{Are | Were | Aren't}/TR <Xs>* {<where> | <adj> | really <adj>}
{Are | Were | Aren't}/TR {you | they | we}/O {<where> | <persons>* | a <n.person>* | <adj>}
{Is | Was | Isn't}/TR {it | this | that}/O {<X>* | <adj>}
{Is | Was | Isn't}/TR {he | she | <name.person>}/O {<person>* | <where> | a <n.person>*}
{Is | Are | Was | Were | Isn't}/TR there {a <which> <n.X>* | <number> <ns.Y>* | any <n.drink>*} <where>
Do/T <they> {have | own | need | want | know}/R {<X>* | any <ns.Y>*}
Does/T <who> {have | own | need | want | know}/R {<X>* | any <ns.Y>*}
Does/T <X>* {<v.appear> <adj> | <v.state> <thing> | <v.state> to/R <whom>}
{Would | Will | Could}/T <X>* be/R {<adj> | <where>}
Is/TR it <weather> {<where> | today | outside | already | now | }
Have/T <they>* {ever | } been/R {<where> | to/R <name.place>}

# yes/no question, state, judged
{Is | Was}/TR <X>* <judge>
{Isn't | Wasn't}/TR <X>* {<good> | <bad>}
{Are | Were | Aren't}/TR <Xs>* <judge>
{Is | Was | Isn't}/TR {it | that | this}/O {a | the} {<good> | <bad>} <n.X>*
{Is | Was}/TR <who>* a {<good> | <bad>} <n.person>
Does/T <X>* <v.appear> {<good> | <bad>}

# yes/no question, feeling
{Do | Don't | Did | Would}/T <they> {<love> | <hate>} <X>*
{Does | Doesn't | Did | Would}/T <who> {<love> | <hate>} <X>*
Do/T <they> {really/S | also | still | both} {<love> | <hate>} <X>*
{Are | Were}/TR <they>* <feels> {about/R <X> | with/R <X> | of/R <X> | }
{Is | Was | Isn't}/TR <who>* <feels> {about/R <X> | with/R <X> | of/R <X> | }
Did/T <X>* {<pleases> | <upsets>} <whom>
Would/T you/O like/RS+ {some <n.drink>* | a <n.dish>* | some more <n.drink>* | <X>*}
<who> {<love.s> | <hate.s>} <X>*

# choice question, choice or comparison
Which/T do/T you/O {like/RS+ | prefer/RS+ | love/RS+ | hate/RS-} { | more | | most} , <X>*/R or/R <X>/R
Which/T {do/T <they> | does/T <who>} like/RS+ {better/S+ | best/S+ | more} , <X>*/R or/R <X>/R
Which/T {is | was}/TR {<more> | better/S+ | worse/S- | more <good>} , <X>*/R or/R <X>/R
Which/T {is | was}/TR the {best/S+ | worst/S-} , <X>*/R or/R <X>/R
Which/T <n.X>* {is | was}/TR <more> , <X>/R or/R <X>/R
Which/T {would | should | will | do | did}/T {you | they | we | she}/O {rather/S+ | | | } <v.X> , <X>*/R or/R <X>/R
Which/T <v.move.s> <more> , <X>*/R or/R <X>/R
Who/T {is | was}/TR <more> , <name.person>*/R or/R <name.person>/R
Who/T <v.X.past> <X>* , <name.person>/R or/R <name.person>/R
What/T would/T you/O rather/S+ <v.X> , <X>*/R or/R <X>/R
{Do | Did}/T <they> <v.X> <X>*/R or/R <X>/R
{Does | Did}/T <who> <v.X> <X>*/R or/R <X>/R
{Do | Did | Would}/T <they> {like/RS+ | prefer/RS+ | love/RS+ | hate/RS-} <X>*/R or/R <X>/R
{Would | Do}/T you/O like/RS+ {some | } <n.drink>*/R or/R <n.drink>/R
{Would}/T <they> rather/S+ <v.X> <X>*/R or/R <X>/R
{Would}/T <they>* rather/S+ {<v.motion> or/R <v.motion> | <v.action> or/R <v.action> | <v.X> <X> or/R <v.Y> <Y>}
{Should | Shall | Could | Can | Will}/T <they> <v.X> <X>*/R or/R <X>/R
{Is | Was}/TR {it | this | that}/O <X>*/R or/R <X>/R
{Is | Was}/TR <X>* {<adj> or/R <adj> | <judge> or/R <judge> | <where> or/R <where>}
{Are | Were}/TR <Xs>* {<adj> or/R <adj> | <where> or/R <where>}
{Is | Was}/T <who> <v.X.ing> <X>*/R or/R <X>/R
{Are | Were}/T <they> <v.X.ing> <X>*/R or/R <X>/R
{Did | Do | Will}/T <they>* <v.motion> {by | with | in | on | to}/R <X>/R or/R <X>/R
{Have | Has}/T <they> <v.X.part> <X>*/R or/R <X>/R
<Xs>*/R or/R <Xs>/R
<n.X>*/R or/R <n.X>/R

# open question, action
Who/T <v.X.past> <X>* <tail>
Who/T {will | can | could | would | should | is going to | has to}/ <v.X> <X>*
Who/T {has | had} <done>
Who/T {is | was} <doing>
Who/T <v.motion.past> <where>
Who/T {do | did | does | can | will}/T <they>* {<v.person> | <v.person> | work/R with/R | live/R with/R}
What/T {did | do | will | can | should | would}/T <they>* <v.X> {<tail> | }
What/T {does | did | will | could}/T <who>* <v.Y> {<where> | for/R <whom> | <when> | }
What/T {is | was}/T <who>* {doing/R | <v.Y.ing>} {<where> | }
What/T {are | were}/T <they>* {doing/R | <v.Y.ing>} {<where> | }
What/T {has | had | have}/T <they>* {done/R | <v.Y.part>} {<where> | }
What/T <v.move.past> {<where> | to/R <X>* | with/R <X>*}
<Question> {did | do | will | can | should | would | could}/T <they>* <do>
<Question> {does | did | will | can | should | would}/T <who>* <do>
<Question> {did | does | will | can}/T <person>* <v.X> <X>
<Question> {does | did | can}/T <animal>* {<v.motion> | <v.action>} {<where> | }
<Question> {do | did | can}/T <animals>* {<v.motion> | <v.action>} {<where> | }
<Question> {is | was | isn't}/T <who>* <doing>
<Question> {are | were | aren't}/T <they>* <doing>
<Question> {has | have | had}/T <they>* <done>
<Question> {was | is}/T <X>* <v.X.part>
Why/T {don't | didn't | won't | can't}/T <they>* <do>
When/T {does | will | did}/T <idea>* {begin | start | end | happen}/R
{Which | What}/T <n.X>* {did | do | will | should | would}/T <they> <v.X>
{Which | What}/T <n.X>* {does | did | will}/T <who> <v.X> {<where> | }
Which/T of/R <Xs>* {did | do}/T <they> <v.X>
Which/T <n.person>* <v.X.past> <X>
Whose/T <n.X>* {did | will}/T <they> <v.X>
Whose/T <n.person>* <v.X.past> <X>
How/T {many <ns.Y>* | much <n.drink>*} {did | do | can | will | does | has | have}/T <they> {<v.thing> | <v.Y>}
How/T many <ns.person>* <v.X> <X>
How/T {far | fast | high | long | often | soon | well | quickly} {can | could | did | do | will}/T <they>*
    {<v.motion> | <v.action> | <do>}
{At | In | On | For | With | From}/R {which | what}/T <n.place>* {did | do}/T <they> <v.action>
{Where | Why | How}/T <they>* <did>
What/T time/O {do | did | does | will}/T <they>* <do>

# open question, state
What/T {is | was | 's | are}/TR {<X>* | this/O | that/O | <whose> <n.X>* | the <n.idea>* of/R <n.notion>}
What/T {kind | sort | type}/O of/R <n.X>* {is/TR {this | that | it}/O | do/T you/O {have | own | want | need}/R}
What/T color/O {is | was | are}/TR <X>*
{Where | Who | How | What}/T {is | was | 's}/TR <X>*
{Where | Who}/T {are | were}/TR {<Xs>* | you/O | they/O}
Who/T {is | was | 's}/TR {he | she | that | this | there | it}/O
Who/T {is | was}/TR <where>
Why/T {is | was | isn't}/TR <X>* {<adj> | <where> | so <adj>}
Why/T {are | were | aren't}/TR <Xs>* {<adj> | <where>}
How/T <adj> {is | was}/TR <X>*
How/T <adj> {are | were}/TR <Xs>*
How/T {many | much} <ns.Y>* {are | were}/TR there <where>
How/T many <ns.Y>* {do | did | does}/T <they> {have | own | want | need}/R
How/T {much | long | far | old | big} {is | was}/TR <X>*
How/T much {does | did}/T <X>* {cost/R | <v.state>}
What/T {does | did | do | would}/T <X>* {<v.state> | mean/R | <v.appear> like/R}
What/T {do | did}/T <they>* {want | need | own | know | believe | have}/R
Whose/T <n.X>* {is | was}/TR {this | that | it | <where>}/
{Which | What}/T <n.X>* {is | was | has been}/TR {<where> | <adj> | <whose>}
Which/T of/R <Xs>* {is | was}/TR <adj>
Who/T {has | had | owns | knows | needs | wants}/R <X>*
When/T {is | was | 's}/TR {<idea>* | the <n.idea>*}
What/T is/TR in/R <thing>*
What/T makes/R <X>* so <adj>
Where/T {does | did | do}/T <they>* {live | work | belong | come from}/R

# open question, state, judged
Why/T {is | was}/TR <X>* {<judge> | so <good> | so <bad>}
Why/T {are | were | aren't}/TR <Xs>* {<good> | <bad>}
{Which | What}/T <n.X>* {is | was}/TR {the | } {best/S+ | worst/S- | most <good> | most <bad>}
How/T {good | <good> | <bad>} {is | was}/TR <X>*
What/T makes/R <X>* so {<good> | <bad>}
Who/T {is | was}/TR the {best/S+ | worst/S- | <good>} <n.person>*
Where/T {is | was | are}/TR {the | <whose>} {best/S+ | <good> | <bad>} <n.X>*

# open question, feeling
{What | Who | Which <n.X>*}/T {do | did}/T <they> {<love> | <hate>} {best/S+ | | | most}
{What | Who}/T does/T <who>* {<love> | <hate>}
Why/T {do | did | don't | didn't}/T <they> {<love> | <hate>} <X>*
Why/T {does | did}/T <who> {<love> | <hate>} <X>*
Why/T {is | was}/TR <who>* <feels>
Why/T {are | were}/TR <they>* {<glad> | <sorry> | so <glad> | so <sorry>}
Who/T {<love.s> | <hate.s> | <love.past>} <X>*
How/T {did | do}/T <they> like/RS+ <X>*
What/T {<pleases.past> | <upsets.past>} <whom>

# command, action
<v.X>/T <X>* <tail>
<v.X>/T <X>* and/R <v.Y>/R <Y>
<v.X>/T {it | them | this | that | him | her}/O <tail>
Please/T <v.X>/T <X>* <tail>
<v.X>/T <X>* {<where> | } , please/T
Please/T {don't | do not | never}/T <v.X>/T <X>*
{Don't | Do not | Never}/T <v.X>/T <X>* <tail>
Don't/T {<v.motion> | <v.action>}/T {<where> | <pp> | so <how>}
Let's/T <v.X> <X>* <tail>
Let's/T {not | } {<v.motion> | <v.action>} {<where> | <tail>}
Let/T us/O <v.X> <X>*
Let/TR <whom>* <do>
{<v.motion> | <v.action>}/T {<where> | <how> | <pp> | with/R <whom>}
Please/T {<v.motion> | <v.action>}/T {<where> | <how> | <for> | }
<v.give>/T <whom> <thing>*
<v.give>/T <whom> {<dish>* | <drink>* | a cup/O of/R <n.drink>* | a glass/O of/R <n.drink>*}
Please/T <v.give>/T <whom> {<thing>* | <dish>* | a cup/O of/R <n.drink>* | <number> <ns.dish>*}
<v.give>/T <thing>* to/R <whom> , please/T
Be/TR {quiet | <adj> | a <good> <n.person>* | careful/S+ | <good> | <glad>}
{Don't | Never}/T be/TR {late | <adj> | <bad> | <sorry>}
Please/T be/TR {quiet | <adj> | <good> | careful with/R <thing>*}
{Take | Have | Get | Bring}/TR {a | the | <whose> | some} <n.Y>*
{Go | Come}/TR {<where> | home/O | away | here | back} {and/R <v.Y> <Y> | }
{Stop | Keep | Start}/TR <doing>
Turn/TR {on | off | down | up} <thing>*
{Put | Take | Throw}/TR {away | off | on | out} <thing>*
{If | When | Before | After}/R <clause> , <v.X>/T <X>*
<v.X>/T <X>* {before | after | when | if | until | because | while}/R <clause>
{Always | First | Now | Then | Just} <v.X>/T <X>*
<name.person> , <v.X>/T <X>*
{Tell | Ask | Show | Help}/TR <whom> {about/R <X>* | <X>* | to <v.Y> <Y>}
Try/TR {to <do> | this <n.dish>* | some <n.drink>*}
<v.X>/T {<Xs>*/R and/R <Xs>/R | the <n.X>*/R or/R the <n.X>/R}
Make/TR sure {you/O | } <do>

# command, feeling
{Enjoy | Love}/TRS+ <X>*
Don't/T~ {<hate> | <love>}/T <X>*
Please/T {<love> | forgive/R}/T <X>*

# exclamation, state
What/T {a | an} {<good> | <bad>} <n.X>*
What/T {a | an} <adj> <n.X>*
What/T {a | an} <n.X>*
What/T a/T {<joy> | <woe>}
What/T {<good> | <bad>} {<ns.Y>* | <n.drink>*}
What/T {a | an} {<good> | <bad> | <adj>} <n.X>* {it/O is/R | that/O was/R | this/O is/R | <they> {have | had | are
    | were}/R}
What/T {a | an} {<good> | <bad> | <adj>} <n.X>* <they> <v.X.past>
What/T a/T {<joy> | <woe>} <X>* {is | was}/R
How/T {<good> | <bad>} {<X>* | it/O | he/O | she/O} {is | was | <v.appear.s>}/R
How/T {<good> | <bad>} {<Xs>* | you/O | they/O} {are | were | <v.appear>}/R
How/T {<good> | <bad>}
How/T {<good> | <bad>} of/R <whom>*
How/T {<glad> | <sorry>} {<who>* is/R | <who>* was/R | <they>* were/R | I/O am/R}
How/T <adj> <X>* {is | was}/R
How/T <adj> <Xs>* {are | were}/R
<X>* {is | was}/R {so | } {<good> | <bad>}
{This | That | It}/O {is | was | 's}/R {such | } a {<good> | <bad>} <n.X>*
There {is | 's}/R <thing>*

# exclamation, action
How/T {quickly | <luckily> | <sadly> | <adverb>} <who>* {<v.motion.past> | <v.action.past> | <does>}
How/T {quickly | <luckily> | <sadly>} <they>* {<v.motion> | <v.action> | <did>}
<who>* <did>
<they>* {have | 've} <done>
I/O* can't <v.saying> it/O

# exclamation, feeling
How/T <they> {<love> | <hate>} <X>*
<they> {<love> | <hate>} <X>*
<who> {<love.s> | <hate.s>} <X>*
I/O* {am | 'm}/R so {<glad> | <sorry>}
"""
